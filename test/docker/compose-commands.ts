import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';

const guide = readFileSync(resolve(import.meta.dirname, '../../docs/run/docker.md'), 'utf8');

/** Returns the commands in a section of the guide, a line each, with the name of a project. */
export function commandsOf(section: string, project = 'keyfold'): readonly string[] {
  const [, text = ''] = new RegExp(`^## ${section}\n([^]*?)(?=^## )`, 'm').exec(guide) ?? [];
  const commands = [...text.matchAll(/^```sh\n([^]*?)^```$/gm)].flatMap(([, block = '']) => block.trim().split('\n'));
  return commands.map((command) =>
    command.replace('keyfold_mongo', `${project}_mongo`).replace('=keyfold', `=${project}`),
  );
}
