import { t } from '../../texts/texts.js';
import { Page } from '../../ui/page.js';
import { AccessTokens } from './access-tokens.js';
import { AppPasswords } from './app-passwords.js';

/** What programs and devices sign in with. */
export default function Secrets() {
  return (
    <Page title={t.secrets.title} intro={t.secrets.intro}>
      <AccessTokens />
      <AppPasswords />
    </Page>
  );
}
