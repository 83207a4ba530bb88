import { useState } from 'preact/hooks';
import { post, Refusal } from '../api/client.js';
import { current, forgetToken, keepToken, staysSignedIn } from '../api/session.js';
import { t } from '../texts/texts.js';
import { Dialog } from '../ui/dialog.js';
import { Check, Field, Form } from '../ui/form.js';
import { Page } from '../ui/page.js';
import { useAction } from '../ui/use-action.js';
import { navigate } from '../ui/router.js';

/** The code with which the service asks for a one-time code. */
const CODE_REQUIRED = 402;

/** The first screen for somebody without a session. It leads to the address that was opened. */
export function SignIn() {
  return (
    <main class="narrow">
      <Page title={t.signIn.title}>
        <Credentials onDone={() => undefined} />
      </Page>
    </main>
  );
}

/** Asks for the credentials of the same account again, above the screen that was interrupted. */
export function SignInAgain({ reason, resume }: Readonly<{ reason: string; resume: () => void }>) {
  const leave = () => {
    forgetToken();
    resume();
    navigate('/', 'replace');
  };
  const other = (
    <button type="button" onClick={leave}>
      {t.signIn.other}
    </button>
  );
  return (
    <Dialog title={t.signIn.again} onClose={() => undefined}>
      <p>{t.signIn.againWhy}</p>
      <p class="hint">{reason}</p>
      <Credentials username={current.value?.username} more={other} onDone={resume} />
    </Dialog>
  );
}

type CredentialsProps = Readonly<{ username?: string | undefined; more?: preact.JSX.Element; onDone: () => void }>;

function Credentials({ username, more, onDone }: CredentialsProps) {
  const action = useAction();
  const [name, setName] = useState(username ?? '');
  const [password, setPassword] = useState('');
  const [code, setCode] = useState('');
  const [needsCode, setNeedsCode] = useState(false);
  const [stay, setStay] = useState(staysSignedIn());
  const signIn = async () => {
    try {
      const body = { username: name, password, ...(needsCode && { otp_code: code.trim() }) };
      const { token } = await post('/api/auth/login', { body });
      keepToken(token, stay);
      onDone();
    } catch (error) {
      // The first refusal of this kind is the question for the code, not a wrong answer.
      const asks = error instanceof Refusal && error.code === CODE_REQUIRED && !needsCode;
      if (!asks) throw error;
      setNeedsCode(true);
    }
  };
  return (
    <Form action={action} submit={t.signIn.submit} more={more} onSubmit={() => void action.run(signIn)}>
      <Field
        label={t.signIn.username}
        value={name}
        onInput={setName}
        autocomplete="username"

        readOnly={username !== undefined}
        required
      />
      <Field
        label={t.signIn.password}
        type="password"
        value={password}
        onInput={setPassword}
        autocomplete="current-password"
        required
      />
      {needsCode && (
        <Field
          label={t.signIn.code}
          hint={t.signIn.codeHint}
          value={code}
          onInput={setCode}
          autocomplete="one-time-code"
          autofocus
          required
        />
      )}
      <Check label={t.signIn.stay} hint={t.signIn.stayHint} checked={stay} onChange={setStay} />
    </Form>
  );
}
