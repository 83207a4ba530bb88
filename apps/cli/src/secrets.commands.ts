import type { Command } from 'commander';
import type { Actions } from './actions.js';
import { storeCommand, storeCommandGroup } from './store-command.js';

const RESEAL = `
Reseals every password, two-factor secret and the static token with the first key of KEYFOLD_SEALING_KEY, so that the other keys can be
removed. First upgrade every process to this version and put the new key before the old ones. Nobody is logged out.

A running process on the embedded store uses its own keys. Otherwise the command uses KEYFOLD_SEALING_KEY, or on sqlite the file
sealing-key in the data folder. On mongodb set it to the same value as for the gateways.

Safe to repeat: an interrupted run is continued by the next one. The exit status is 1 when a secret cannot be opened. Afterwards run
"keyfold secrets status" and remove only keys that it does not list.`;

const STATUS = `
For each sealing key: how many passwords, two-factor secrets and static tokens still need it, and some of their streams. A key that is
not listed can be removed from KEYFOLD_SEALING_KEY. Reads every commit, needs no key and changes nothing. The exit status is 1 when a
stream cannot be read.`;

/** `secrets`. */
export function addSecretsCommands(program: Command, { onStore }: Actions): void {
  storeCommandGroup(program, 'secrets').summary('rotate sealing keys').description('Rotates sealing keys.');
  storeCommand(program, 'secrets reseal')
    .summary('reseal all secrets with the first sealing key')
    .description('Reseals all secrets with the first sealing key.')
    .addHelpText('after', RESEAL)
    .action(() => onStore('secrets reseal', {}));
  storeCommand(program, 'secrets status')
    .summary('show which sealing keys are still needed')
    .description('Shows which sealing keys are still needed, and by what.')
    .option('--json', 'one JSON object')
    .addHelpText('after', STATUS)
    .action(({ json = false }: { json?: boolean }) => onStore('secrets status', { json }));
}
