import { useState } from 'preact/hooks';
import { NewPasswordFields, useNewPassword } from '../account/new-password.js';
import { post } from '../api/client.js';
import { keepToken } from '../api/session.js';
import { t } from '../texts/texts.js';
import { Field, Form } from '../ui/form.js';
import { Page } from '../ui/page.js';
import { navigate } from '../ui/router.js';
import { useAction } from '../ui/use-action.js';

/** The account that the first start creates. */
const ADMIN = 'admin';

/** Lets the holder of the setup code choose the password of the administrator, then offers the second factor. */
export default function Setup({ onSignIn }: Readonly<{ onSignIn: () => void }>) {
  const action = useAction();
  const [code, setCode] = useState('');
  const [hasCode, setHasCode] = useState(false);
  const password = useNewPassword();
  const setUp = async () => {
    const { token } = await post('/api/auth/setup', { body: { code, password: password.first } });
    navigate('/security?welcome=1', 'replace');
    keepToken(token, false);
  };
  // The code is checked with the password: to check it alone would be another way to guess it.
  const submit = () => {
    if (!hasCode) setHasCode(true);
    else if (password.check()) void action.run(setUp);
  };
  const signIn = (
    <button type="button" onClick={onSignIn}>
      {t.setup.signIn}
    </button>
  );
  return (
    <main class="narrow">
      <Page title={t.setup.title} intro={t.setup.intro}>
        <Form action={action} submit={hasCode ? t.setup.submit : t.setup.next} more={signIn} onSubmit={submit}>
          <Field label={t.setup.code} hint={t.setup.codeHint} value={code} onInput={setCode} autofocus required />
          {hasCode && <NewPasswordFields username={ADMIN} value={password} autofocus />}
        </Form>
      </Page>
    </main>
  );
}
