import type { ExitCode } from '@keyfold/process';
import { z } from 'zod';
import { disableTwoFactor, requireAccount, setPassword } from './commands/change-account.js';
import { compactSessions } from './commands/compact-sessions.js';
import { migrate } from './commands/migrate.js';
import type { CommandRun } from './commands/operator-ports.js';
import { rebuildModels } from './commands/rebuild-models.js';
import { resealAllSecrets } from './commands/reseal-secrets.js';
import { retryParked } from './commands/retry-parked.js';
import { showEvents } from './commands/show-events.js';
import { showRelay } from './commands/show-relay.js';
import { showSealingKeys } from './commands/show-sealing-keys.js';
import { showStatus } from './commands/show-status.js';
import { verifyStore } from './commands/verify-store.js';

/** Pairs a command with its arguments. `prepare` returns undefined for arguments of another version. */
const command = <Args extends z.ZodType>(
  args: Args,
  run: (args: z.infer<Args>, context: CommandRun) => Promise<ExitCode>,
) => ({
  args,
  prepare(given: unknown): ((context: CommandRun) => Promise<ExitCode>) | undefined {
    const parsed = args.safeParse(given);
    return parsed.success ? (context) => run(parsed.data, context) : undefined;
  },
});

const none = z.object({});
const replayArgs = z.object({
  from: z.number().optional(),
  to: z.number().optional(),
  types: z.array(z.string()).readonly().optional(),
  account: z.number().optional(),
  target: z.object({ url: z.string(), queue: z.string() }).optional(),
});

/** The operator's commands on a store, by the words of the command line. The socket and the help take their names from here. */
export const operatorCommands = {
  verify: command(none, verifyStore),
  'projections status': command(z.object({ json: z.boolean() }), showStatus),
  'projections rebuild': command(z.object({ model: z.string().optional() }), rebuildModels),
  'projections retry-parked': command(none, retryParked),
  migrate: command(z.object({ follow: z.boolean() }), migrate),
  compact: command(z.object({ dryRun: z.boolean() }), compactSessions),
  'feed status': command(z.object({ json: z.boolean() }), showRelay),
  'feed replay': command(replayArgs, async (args, run) => {
    // It loads the driver of RabbitMQ, which a start must not wait for.
    const { replayFeed } = await import('./rabbitmq/replay-feed.js');
    return replayFeed(args, run);
  }),
  'account exists': command(z.object({ username: z.string() }), requireAccount),
  'account set-password': command(z.object({ username: z.string(), password: z.string() }), setPassword),
  'account disable-two-factor': command(z.object({ username: z.string() }), disableTwoFactor),
  'secrets reseal': command(none, resealAllSecrets),
  'secrets status': command(z.object({ json: z.boolean() }), showSealingKeys),
  'events show': command(z.object({ stream: z.string(), json: z.boolean() }), showEvents),
};

/** The name of an operator's command. */
export type OperatorCommandName = keyof typeof operatorCommands;

/** The arguments of an operator's command. */
export type OperatorArgs<Name extends OperatorCommandName> = z.input<(typeof operatorCommands)[Name]['args']>;

/** A command with its arguments. */
export type OperatorRequest<Name extends OperatorCommandName = OperatorCommandName> = {
  [Each in Name]: Readonly<{ command: Each; args: OperatorArgs<Each> }>;
}[Name];

/** Which events `feed replay` sends. Times are Unix milliseconds; `from` is included, `to` is not. */
export type ReplaySelection = Omit<OperatorArgs<'feed replay'>, 'target'>;

export const isOperatorCommand = (name: string): name is OperatorCommandName => Object.hasOwn(operatorCommands, name);
