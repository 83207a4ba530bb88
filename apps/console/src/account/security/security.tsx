import { t } from '../../texts/texts.js';
import { Page, Section } from '../../ui/page.js';
import { address } from '../../ui/router.js';
import { ChangePassword } from './password.js';
import { RevokeEverything } from './revocation.js';
import { TwoFactor } from './two-factor.js';

/** The password, the second factor, and the way out when somebody else may have used the account. */
export default function Security() {
  return (
    <Page title={t.security.title}>
      {address.value.query.has('welcome') && (
        <div class="notice good" role="status">
          <p>{t.security.welcome}</p>
        </div>
      )}
      <Section title={t.security.twoFactor}>
        <TwoFactor />
      </Section>
      <Section title={t.security.password}>
        <ChangePassword />
      </Section>
      <Section title={t.security.revokeEverything}>
        <RevokeEverything />
      </Section>
    </Page>
  );
}
