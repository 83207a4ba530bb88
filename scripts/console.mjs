// Bundles the console (apps/console) for browsers: its page, and files whose names contain the hash of their contents.
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { rolldown } from 'rolldown';

const root = join(import.meta.dirname, '..');
const source = join(root, 'apps/console');
const PAGE = join(source, 'src/index.html');
const STYLE = join(source, 'src/console.css');
/** Modules that several screens import. Only one of the languages is shared. */
const SHARED = /console\/src\/(?:api|formats|ui|texts\/en|texts\/texts|account\/.*-columns)\b|node_modules/;

/** Writes `index.html` and `assets/` into a folder and returns the project files that they depend on. */
export async function bundleConsole(folder) {
  const build = await rolldown({
    cwd: root,
    input: { main: join(source, 'src/main.ts') },
    platform: 'browser',
    tsconfig: join(source, 'tsconfig.json'),
  });
  try {
    const { output } = await build.generate({
      minify: true,
      entryFileNames: '[name]-[hash].js',
      chunkFileNames: '[name]-[hash].js',
      // The first load brings the code that screens share, so that the code of most screens takes one round trip.
      codeSplitting: { groups: [{ name: 'shared', test: SHARED }] },
    });
    mkdirSync(join(folder, 'assets'), { recursive: true });
    for (const { fileName, code } of output) writeAsset(folder, fileName, code);
    const main = output.find(({ isEntry }) => isEntry);
    const style = `console-${hashOf(readFileSync(STYLE))}.css`;
    writeAsset(folder, style, readFileSync(STYLE, 'utf8'));
    writeFileSync(join(folder, 'index.html'), pageOf(main, style));
    const modules = (await build.watchFiles).map((file) => relative(root, file));
    return [...modules, relative(root, PAGE), relative(root, STYLE)].filter((file) => file.startsWith('apps/'));
  } finally {
    await build.close();
  }
}

/** Names the built files, and lets the browser load what the entry imports at the same time. */
function pageOf({ fileName, imports }, style) {
  const preloads = imports.map((each) => `<link rel="modulepreload" href="/@account/assets/${each}" />`).join('');
  return readFileSync(PAGE, 'utf8')
    .replace('/console.css', `/@account/assets/${style}`)
    .replace('<script', `${preloads}<script`)
    .replace('/main.ts', `/@account/assets/${fileName}`);
}

/** Writes a file and its compressed forms. */
function writeAsset(folder, name, content) {
  const path = join(folder, 'assets', name);
  writeFileSync(path, content);
  writeFileSync(`${path}.br`, brotliCompressSync(content));
  writeFileSync(`${path}.gz`, gzipSync(content, { level: 9 }));
}

const hashOf = (content) => createHash('sha256').update(content).digest('base64url').slice(0, 8);
