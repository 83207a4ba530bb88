import { useState } from 'preact/hooks';
import { get, post, renewSession } from '../../api/client.js';
import { current } from '../../api/session.js';
import { t } from '../../texts/texts.js';
import { Check, Form } from '../../ui/form.js';
import { NewPasswordFields, useNewPassword } from '../new-password.js';
import { Saved } from '../../ui/problem.js';
import { useAction } from '../../ui/use-action.js';

/** Changes the password. The person signs in again in place, so that the password manager sees the new one. */
export function ChangePassword() {
  const { username } = current.value!;
  const action = useAction();
  const password = useNewPassword();
  const [revoke, setRevoke] = useState(false);
  const [done, setDone] = useState(false);
  const change = async () => {
    setDone(false);
    // The route sets it, and an administrator may have changed it.
    const { sso_id } = await get('/api/me');
    await post('/api/me/update', { body: { username, sso_id, password: password.first, revoke_secrets: revoke } });
    await renewSession(t.security.passwordChanged);
    password.clear();
    setRevoke(false);
    setDone(true);
  };
  return (
    <>
      <p>{t.security.passwordConsequence}</p>
      <Form
        action={action}
        submit={t.security.changePassword}
        onSubmit={() => password.check() && void action.run(change)}
      >
        <NewPasswordFields username={username} value={password} />
        <Check
          label={t.security.revokeSecrets}
          hint={t.security.revokeSecretsHint}
          checked={revoke}
          onChange={setRevoke}
        />
      </Form>
      {done && <Saved />}
    </>
  );
}
