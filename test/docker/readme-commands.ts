import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';

const readme = readFileSync(resolve(import.meta.dirname, '../../README.md'), 'utf8');
const [, section = ''] = /^### Docker Compose\n([^]*?)(?=^##)/m.exec(readme) ?? [];
const [, commands = ''] = /^```sh\n([^]*?)^```$/m.exec(section) ?? [];

/** The commands with which the README starts the containers, a line each. */
export const readmeCommands = commands.split('\n').filter(Boolean);
