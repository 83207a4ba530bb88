import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';

const guide = readFileSync(resolve(import.meta.dirname, '../../docs/run/docker.md'), 'utf8');
const [, section = ''] = /^## Start\n([^]*?)(?=^##)/m.exec(guide) ?? [];
const [, commands = ''] = /^```sh\n([^]*?)^```$/m.exec(section) ?? [];

/** The commands with which the guide starts the containers, a line each. */
export const composeCommands = commands.split('\n').filter(Boolean);
