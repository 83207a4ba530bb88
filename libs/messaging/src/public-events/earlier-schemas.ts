import accountChanged100 from '../../schemas/account.changed/1.0.0.json' with { type: 'json' };
import accountDeleted100 from '../../schemas/account.deleted/1.0.0.json' with { type: 'json' };
import accountDisabled100 from '../../schemas/account.disabled/1.0.0.json' with { type: 'json' };
import accountEnabled100 from '../../schemas/account.enabled/1.0.0.json' with { type: 'json' };
import accountPasswordChanged100 from '../../schemas/account.password-changed/1.0.0.json' with { type: 'json' };
import accountRegistered100 from '../../schemas/account.registered/1.0.0.json' with { type: 'json' };
import accountRenamed100 from '../../schemas/account.renamed/1.0.0.json' with { type: 'json' };
import accountTwoFactorDisabled100 from '../../schemas/account.two-factor-disabled/1.0.0.json' with { type: 'json' };
import accountTwoFactorDisabled101 from '../../schemas/account.two-factor-disabled/1.0.1.json' with { type: 'json' };
import accountTwoFactorEnabled100 from '../../schemas/account.two-factor-enabled/1.0.0.json' with { type: 'json' };
import sessionEnded100 from '../../schemas/session.ended/1.0.0.json' with { type: 'json' };
import sessionEnded101 from '../../schemas/session.ended/1.0.1.json' with { type: 'json' };
import sessionStarted100 from '../../schemas/session.started/1.0.0.json' with { type: 'json' };
import sessionStarted101 from '../../schemas/session.started/1.0.1.json' with { type: 'json' };
import siteSettingsChanged100 from '../../schemas/site-settings.changed/1.0.0.json' with { type: 'json' };
import siteSettingsChanged101 from '../../schemas/site-settings.changed/1.0.1.json' with { type: 'json' };
import sshKeyAdded100 from '../../schemas/ssh-key.added/1.0.0.json' with { type: 'json' };
import sshKeyAdded101 from '../../schemas/ssh-key.added/1.0.1.json' with { type: 'json' };
import sshKeyRemoved100 from '../../schemas/ssh-key.removed/1.0.0.json' with { type: 'json' };
import sshKeyUsed100 from '../../schemas/ssh-key.used/1.0.0.json' with { type: 'json' };

/** Earlier schemas by path. When you raise a version, import the previously released file and list it here. */
export const earlierSchemas = {
  '/schemas/account.changed/1.0.0.json': accountChanged100,
  '/schemas/account.deleted/1.0.0.json': accountDeleted100,
  '/schemas/account.disabled/1.0.0.json': accountDisabled100,
  '/schemas/account.enabled/1.0.0.json': accountEnabled100,
  '/schemas/account.password-changed/1.0.0.json': accountPasswordChanged100,
  '/schemas/account.registered/1.0.0.json': accountRegistered100,
  '/schemas/account.renamed/1.0.0.json': accountRenamed100,
  '/schemas/account.two-factor-disabled/1.0.0.json': accountTwoFactorDisabled100,
  '/schemas/account.two-factor-disabled/1.0.1.json': accountTwoFactorDisabled101,
  '/schemas/account.two-factor-enabled/1.0.0.json': accountTwoFactorEnabled100,
  '/schemas/session.ended/1.0.0.json': sessionEnded100,
  '/schemas/session.ended/1.0.1.json': sessionEnded101,
  '/schemas/session.started/1.0.0.json': sessionStarted100,
  '/schemas/session.started/1.0.1.json': sessionStarted101,
  '/schemas/site-settings.changed/1.0.0.json': siteSettingsChanged100,
  '/schemas/site-settings.changed/1.0.1.json': siteSettingsChanged101,
  '/schemas/ssh-key.added/1.0.0.json': sshKeyAdded100,
  '/schemas/ssh-key.added/1.0.1.json': sshKeyAdded101,
  '/schemas/ssh-key.removed/1.0.0.json': sshKeyRemoved100,
  '/schemas/ssh-key.used/1.0.0.json': sshKeyUsed100,
};
