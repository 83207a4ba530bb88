import { t } from '../texts/texts.js';
import { Page } from '../ui/page.js';
import { shownTab, Tabs } from '../ui/tabs.js';
import { AnySessions } from './any-sessions.js';
import { AnyAccessTokens, AnyAppPasswords } from './any-secrets.js';
import { KeyOwners } from './key-owners.js';

/** What lets somebody in, over all accounts. */
export default function Access() {
  const tabs = [
    ['sessions', t.sessions.title],
    ['tokens', t.secrets.tokens.title],
    ['passwords', t.secrets.appPasswords.title],
    ['keys', t.access.keys],
  ] as const;
  const shown = shownTab(tabs.map(([value]) => value));
  return (
    <Page title={t.access.title} intro={t.access.intro}>
      <Tabs label={t.access.title} tabs={tabs} />
      {shown === 'sessions' && <AnySessions />}
      {shown === 'tokens' && <AnyAccessTokens />}
      {shown === 'passwords' && <AnyAppPasswords />}
      {shown === 'keys' && <KeyOwners />}
    </Page>
  );
}
