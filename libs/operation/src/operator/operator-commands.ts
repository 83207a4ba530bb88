import { isRetryable } from '@keyfold/event-store';
import { z } from 'zod';
import { exitCodeOf, INTERRUPTED, WRONG_USAGE, type ExitCode } from '../process/exit-code.js';
import { explain } from '../process/report-and-exit.js';
import { disableTwoFactor, requireAccount, setPassword } from './commands/change-account.js';
import { compactSessions } from './commands/compact-sessions.js';
import { followFeed } from './commands/follow-feed.js';
import { rebuildModels } from './commands/rebuild-models.js';
import { resealAllSecrets } from './commands/reseal-secrets.js';
import { retryParked } from './commands/retry-parked.js';
import { showEvents } from './commands/show-events.js';
import { showRelay } from './commands/show-relay.js';
import { showSealingKeys } from './commands/show-sealing-keys.js';
import { showStatus } from './commands/show-status.js';
import { verifyStore } from './commands/verify-store.js';
import type { CommandRun, OperatorPorts } from './operator-ports.js';
import type { OperatorOutput, OperatorRequest } from './operator-request.js';

type Command = Readonly<{ args: z.ZodType; run: (args: never, run: CommandRun) => Promise<ExitCode> }>;

/** Pairs the arguments of a command with what it does, so that a request of another version is refused and not misread. */
const command = <Args extends z.ZodType>(
  args: Args,
  run: (args: z.infer<Args>, run: CommandRun) => Promise<ExitCode>,
): Command => ({ args, run });

const none = z.object({});
const replayArgs = z.object({
  from: z.number().optional(),
  to: z.number().optional(),
  types: z.array(z.string()).optional(),
  account: z.number().optional(),
  target: z.object({ url: z.string(), queue: z.string() }).optional(),
});
const commands: Readonly<Record<string, Command>> = {
  verify: command(none, verifyStore),
  'projections status': command(z.object({ json: z.boolean() }), showStatus),
  'projections rebuild': command(z.object({ model: z.string().optional() }), rebuildModels),
  'projections retry-parked': command(none, retryParked),
  migrate: command(z.object({ follow: z.boolean() }), followFeed),
  compact: command(z.object({ dryRun: z.boolean() }), compactSessions),
  'feed status': command(z.object({ json: z.boolean() }), showRelay),
  'feed replay': command(replayArgs, async (args, run) => {
    // It loads the driver of RabbitMQ, which a start must not wait for.
    const { replayFeed } = await import('./commands/replay-feed.js');
    return replayFeed(args, run);
  }),
  'account exists': command(z.object({ username: z.string() }), requireAccount),
  'account set-password': command(z.object({ username: z.string(), password: z.string() }), setPassword),
  'account disable-two-factor': command(z.object({ username: z.string() }), disableTwoFactor),
  'secrets reseal': command(none, resealAllSecrets),
  'secrets status': command(z.object({ json: z.boolean() }), showSealingKeys),
  'events show': command(z.object({ stream: z.string(), json: z.boolean() }), showEvents),
};

/** Carries out the requests of operators on the given ports; `RunOperatorRequest`. */
export class OperatorCommands {
  constructor(private readonly ports: OperatorPorts) {}

  async run(request: OperatorRequest, output: OperatorOutput, signal: AbortSignal): Promise<ExitCode> {
    const found = Object.hasOwn(commands, request.command) ? commands[request.command] : undefined;
    const args = found?.args.safeParse(request.args);
    if (!found || !args?.success) {
      await output.err(`"${request.command}" is not understood by this version of keyfold`);
      return WRONG_USAGE;
    }
    try {
      return await found.run(args.data as never, { ports: this.ports, output, signal });
    } catch (error) {
      if (signal.aborted) return INTERRUPTED;
      await output.err(isRetryable(error) ? `${error.message}. Try again later` : explain(error));
      return exitCodeOf(error);
    }
  }
}
