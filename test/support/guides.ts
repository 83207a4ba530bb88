import { readFileSync } from 'node:fs';

/** Returns a page below `docs`. */
export const guide = (path: string): string => readFileSync(new URL(`../../docs/${path}`, import.meta.url), 'utf8');

/** Returns the first block of code in a section of a page; `language` is an empty text if the block names none. Throws if the section has none. */
export function blockOf(path: string, section: string, language: string): string {
  const [, rest = ''] = guide(path).split(new RegExp(`^##+ ${section}\n`, 'm'));
  const [, block] = new RegExp(`^\`\`\`${language}\n([^]*?)^\`\`\`$`, 'm').exec(rest.split(/^##+ /m)[0]!) ?? [];
  if (block === undefined) throw new Error(`docs/${path} has no block of ${language || 'code'} below "${section}"`);
  return block;
}
