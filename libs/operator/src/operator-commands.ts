import type { ExitCode } from '@keyfold/process';
import { z } from 'zod';
import { accountKeys } from './commands/account-keys.js';
import { accountSessions } from './commands/account-sessions.js';
import { accountAppPasswords } from './commands/account-app-passwords.js';
import { accountTokens } from './commands/account-tokens.js';
import { compactSessions } from './commands/compact-sessions.js';
import { compareSettings } from './commands/compare-settings.js';
import { createAccount } from './commands/create-account.js';
import { deleteSetting } from './commands/delete-setting.js';
import { exportSettings } from './commands/export-settings.js';
import { listAccounts } from './commands/list-accounts.js';
import { migrate } from './commands/migrate.js';
import type { CommandRun } from './commands/operator-ports.js';
import { rebuildModels } from './commands/rebuild-models.js';
import { disableTwoFactor, requireAccount, setPassword, unlockAccount } from './commands/recover-account.js';
import { resealAllSecrets } from './commands/reseal-secrets.js';
import { resetStaticToken } from './commands/reset-static-token.js';
import { retryParked } from './commands/retry-parked.js';
import { importSettings, resetSettings, setSetting } from './commands/save-settings.js';
import { showAccount } from './commands/show-account.js';
import { showEvents } from './commands/show-events.js';
import { showHistory } from './commands/show-history.js';
import { showRelay } from './commands/show-relay.js';
import { showSealingKeys } from './commands/show-sealing-keys.js';
import { showProjector } from './commands/show-projector.js';
import { showSettings } from './commands/show-settings.js';
import { deleteAccount, disableAccount, enableAccount, updateAccount } from './commands/update-account.js';
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
const named = z.object({ username: z.string() });
/** Permissions are stored as in the original, which accepts every `int32`. */
const permission = z.int32();
const save = { dryRun: z.boolean(), json: z.boolean() };
const setting = { key: z.string(), value: z.string() };
const anyAccount = { username: z.string().optional(), id: z.number().optional() };
const historyArgs = z.object({
  ...anyAccount,
  types: z.array(z.string()).readonly().optional(),
  from: z.number().optional(),
  until: z.number().optional(),
  json: z.boolean(),
});
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
  'account exists': command(named, requireAccount),
  'account list': command(z.object({ json: z.boolean() }), listAccounts),
  'account show': command(z.object({ ...anyAccount, at: z.number().optional(), json: z.boolean() }), showAccount),
  'account create': command(
    named.extend({
      password: z.string(),
      basePath: z.string(),
      permission,
      disabled: z.boolean(),
      ssoId: z.string(),
      json: z.boolean(),
    }),
    createAccount,
  ),
  'account update': command(
    named.extend({
      changes: z.object({
        username: z.string().optional(),
        basePath: z.string().optional(),
        permission: permission.optional(),
        ssoId: z.string().optional(),
        allowLdap: z.boolean().optional(),
      }),
      json: z.boolean(),
    }),
    updateAccount,
  ),
  'account disable': command(named, disableAccount),
  'account enable': command(named, enableAccount),
  'account delete': command(named, deleteAccount),
  'account unlock': command(named, unlockAccount),
  'account set-password': command(named.extend({ password: z.string() }), setPassword),
  'account disable-two-factor': command(named, disableTwoFactor),
  'account keys': command(named.extend({ remove: z.number().optional(), json: z.boolean() }), accountKeys),
  'account sessions': command(
    named.extend({ evict: z.string().optional(), evictAll: z.boolean(), json: z.boolean() }),
    accountSessions,
  ),
  'account app-passwords': command(
    named.extend({ revoke: z.int().positive().optional(), json: z.boolean() }),
    accountAppPasswords,
  ),
  'account tokens': command(named.extend({ revoke: z.int().positive().optional(), json: z.boolean() }), accountTokens),
  'account history': command(historyArgs, showHistory),
  'settings get': command(
    z.object({ keys: z.array(z.string()).readonly(), reveal: z.boolean(), json: z.boolean() }),
    showSettings,
  ),
  'settings diff': command(z.object({ reveal: z.boolean(), json: z.boolean() }), compareSettings),
  'settings set': command(z.object({ ...setting, ...save }), setSetting),
  'settings reset': command(z.object({ keys: z.array(z.string()).readonly(), ...save }), resetSettings),
  'settings export': command(z.object({ secrets: z.boolean() }), exportSettings),
  'settings import': command(z.object({ settings: z.array(z.object(setting)).readonly(), ...save }), importSettings),
  'settings delete': command(z.object({ key: z.string() }), deleteSetting),
  'settings reset-token': command(z.object({ json: z.boolean() }), resetStaticToken),
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
