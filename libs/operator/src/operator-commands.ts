import type { ExitCode } from '@keyfold/process';
import { z } from 'zod';
import { accountTokens } from './commands/account-tokens.js';
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
import { showProjector } from './commands/show-projector.js';
import { verifyStore } from './commands/verify-store.js';

/** Pairs a command with its arguments. `prepare` returns undefined for invalid arguments, which another version may send. */
const command = <Args extends z.ZodType>(
  args: Args,
  run: (args: z.infer<Args>, context: CommandRun) => Promise<ExitCode>,
) => ({
  args,
  prepare(input: unknown): ((context: CommandRun) => Promise<ExitCode>) | undefined {
    const parsed = args.safeParse(input);
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

/** The operator commands on a store, by their words on the command line. The socket and the help also use these names. */
export const operatorCommands = {
  verify: command(none, verifyStore),
  'projections status': command(z.object({ json: z.boolean() }), showProjector),
  'projections rebuild': command(z.object({ model: z.string().optional() }), rebuildModels),
  'projections retry-parked': command(none, retryParked),
  migrate: command(z.object({ follow: z.boolean() }), migrate),
  compact: command(z.object({ dryRun: z.boolean() }), compactSessions),
  'feed status': command(z.object({ json: z.boolean() }), showRelay),
  'feed replay': command(replayArgs, async (args, run) => {
    // It loads the RabbitMQ driver, which would delay every startup.
    const { replayFeed } = await import('./rabbitmq/replay-feed.js');
    return replayFeed(args, run);
  }),
  'account exists': command(z.object({ username: z.string() }), requireAccount),
  'account set-password': command(z.object({ username: z.string(), password: z.string() }), setPassword),
  'account tokens': command(
    z.object({ username: z.string(), revoke: z.int().positive().optional(), json: z.boolean() }),
    accountTokens,
  ),
  'account disable-two-factor': command(z.object({ username: z.string() }), disableTwoFactor),
  'secrets reseal': command(none, resealAllSecrets),
  'secrets status': command(z.object({ json: z.boolean() }), showSealingKeys),
  'events show': command(z.object({ stream: z.string(), json: z.boolean() }), showEvents),
};

/** The name of an operator command. */
export type OperatorCommandName = keyof typeof operatorCommands;

/** The arguments of an operator command. */
export type OperatorArgs<Name extends OperatorCommandName> = z.input<(typeof operatorCommands)[Name]['args']>;

/** An operator command with its arguments. */
export type OperatorRequest<Name extends OperatorCommandName = OperatorCommandName> = {
  [Each in Name]: Readonly<{ command: Each; args: OperatorArgs<Each> }>;
}[Name];

/** Which events `feed replay` sends. Times are Unix milliseconds; `from` is included, `to` is not. */
export type ReplayFilterArgs = Omit<OperatorArgs<'feed replay'>, 'target'>;

/** Returns whether this is the name of an operator command. */
export const isOperatorCommand = (name: string): name is OperatorCommandName => Object.hasOwn(operatorCommands, name);
