import { expect, it } from 'vitest';
import { accessTokensAggregate } from '../named-secrets/access-tokens.js';
import { appPasswordsAggregate } from '../named-secrets/app-passwords.js';
import { accountAggregate } from '../account/account.decider.js';
import { sessionAggregate } from '../session/session.decider.js';
import { siteSettingsAggregate } from '../site-settings/site-settings.decider.js';
import { sshKeyRingAggregate } from '../ssh-key-ring/ssh-key-ring.decider.js';
import { sshKeyUseAggregate } from '../ssh-key-use/ssh-key-use.decider.js';

it.each([
  [accountAggregate, accountAggregate.streamOf(7), 'account-7'],
  [sshKeyRingAggregate, sshKeyRingAggregate.streamOf(7), 'ssh-keys-7'],
  [sshKeyUseAggregate, sshKeyUseAggregate.streamOf(7), 'ssh-key-use-7'],
  [accessTokensAggregate, accessTokensAggregate.streamOf(7), 'access-tokens-7'],
  [appPasswordsAggregate, appPasswordsAggregate.streamOf(7), 'app-passwords-7'],
  [sessionAggregate, sessionAggregate.streamOf('b3f1'), 'session-b3f1'],
  [siteSettingsAggregate, siteSettingsAggregate.streamOf('site'), 'site-settings'],
])('the stream of $name begins with its prefix and ends with its id', ({ streamPrefix }, stream, expected) => {
  expect(stream).toBe(expected);
  expect(stream.slice(0, streamPrefix.length)).toBe(streamPrefix);
});
