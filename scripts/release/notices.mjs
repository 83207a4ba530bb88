// Writes THIRD_PARTY_NOTICES: the licences of all third-party software in a release.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { productionPackages, read, root } from './sbom.mjs';

const LICENCE_FILE = /(?:^|[-.])(?:licen[cs]e|copying|copyright|notice)/i;
const INTRODUCTION = `Keyfold contains the third-party software below. Each licence text follows the packages that it covers.
A package marked "standard text" has no licence file, so the standard text of its licence names the author. The last are Node.js
and, in archives, the Go of keyfold-ssh.`;

/**
 * Returns the text of THIRD_PARTY_NOTICES. Identical licence texts appear once.
 * @param {object} input
 * @param {{ os: string, cpu: string, libc: string }} input.platform
 * @param {string} input.node the folder of the npm package with Node's binary for the platform
 * @throws if a package has no licence text and there is no standard text for its licence
 */
export function noticesOf({ platform, node }) {
  const titles = new Map();
  for (const { path, id, license, optional } of productionPackages(platform)) {
    const folder = join(root, path);
    // Native code for another platform is not installed.
    const isInstalled = !optional || existsSync(folder);
    const text = isInstalled ? licenceOf(folder) : '';
    const title = text ? `${id} (${license})` : `${id} (${license}, standard text)`;
    const shown =
      text || standardText(id, license, isInstalled ? read(join(folder, 'package.json')).author : undefined);
    titles.set(shown, (titles.get(shown) ?? new Set()).add(title));
  }
  const sections = [...titles].map(([text, packages]) => noticeOf([...packages], text));
  const { version, license } = read(join(node, 'package.json'));
  // Node's licence includes those of its libraries.
  const runtime = noticeOf([`node@${version} (${license} and others)`], licenceOf(node));
  return `${[INTRODUCTION, ...sections, runtime].join('\n\n')}\n`;
}

/** Returns the section of packages that share a licence text. */
export const noticeOf = (packages, text) => `${'='.repeat(80)}\n${packages.join('\n')}\n${'-'.repeat(80)}\n${text}`;

/** Returns the licence files and notices of a package, one after the other. */
function licenceOf(folder) {
  const files = readdirSync(folder).filter((file) => LICENCE_FILE.test(file));
  const texts = files.toSorted().map((file) => readFileSync(join(folder, file), 'utf8'));
  return texts.map((text) => text.replaceAll(/[ \t]*\r?$/gm, '').trim()).join('\n\n');
}

/** Returns the text of the MIT licence, which is also Keyfold's. */
function standardText(id, license, author) {
  if (license !== 'MIT')
    throw new Error(`${id} has no licence text. Add the one of ${license} to ${import.meta.filename}.`);
  const holder = author?.name || author || `the authors of ${id}`;
  return readFileSync(join(root, 'LICENSE'), 'utf8')
    .trim()
    .replace(/^Copyright.*$/m, `Copyright (c) ${holder}`);
}
