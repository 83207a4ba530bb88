import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { post, Refusal } from '../api/client.js';
import { current, forgetToken, type interrupted, keepToken, staysSignedIn } from '../api/session.js';
import { t } from '../texts/texts.js';
import { Dialog } from '../ui/dialog.js';
import { Check, CodeField, Field, Form } from '../ui/form.js';
import { Page } from '../ui/page.js';
import { useAction } from '../ui/use-action.js';
import { navigate } from '../ui/router.js';

/** The code with which the service asks for a one-time code. */
const CODE_REQUIRED = 402;

/** The first screen for somebody without a session. It leads to the address that was opened. */
export function SignIn({ more }: Readonly<{ more?: JSX.Element }>) {
  return (
    <main class="narrow">
      <Page title={t.signIn.title}>
        <Credentials more={more} onDone={() => undefined} />
      </Page>
    </main>
  );
}

type SignInAgainProps = Readonly<NonNullable<typeof interrupted.value>>;

/** Asks for the credentials of the same account again, above the screen that was interrupted. */
export function SignInAgain({ reason, ending, resume }: SignInAgainProps) {
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
      <p>{ending === 'expected' ? reason : t.signIn.againWhy}</p>
      {ending === 'unexpected' && <p class="hint">{reason}</p>}
      <Credentials username={current.value?.username} more={other} onDone={resume} />
    </Dialog>
  );
}

type CredentialsProps = Readonly<{ username?: string | undefined; more?: JSX.Element | undefined; onDone: () => void }>;

/** Asks for name and password, and for a code once the service wants one. */
function Credentials({ username, more, onDone }: CredentialsProps) {
  const action = useAction();
  const [name, setName] = useState(username ?? '');
  const [password, setPassword] = useState('');
  const [code, setCode] = useState('');
  /** How often the service asked for a code. */
  const [asked, setAsked] = useState(0);
  const [stay, setStay] = useState(staysSignedIn());
  const signIn = async () => {
    try {
      const body = { username: name, password, ...(asked > 0 && { otp_code: code.trim() }) };
      const { token } = await post('/api/auth/login', { body });
      keepToken(token, stay);
      onDone();
    } catch (error) {
      if (!(error instanceof Refusal && error.code === CODE_REQUIRED)) throw error;
      setCode('');
      setAsked(asked + 1);
      // The first refusal of this kind is the question for the code, not a wrong answer.
      if (asked > 0) throw error;
    }
  };
  const rename = (value: string) => {
    setName(value);
    setAsked(0);
  };
  return (
    <Form action={action} submit={t.signIn.submit} more={more} onSubmit={() => void action.run(signIn)}>
      <Field
        label={t.signIn.username}
        value={name}
        onInput={rename}
        autocomplete="username"
        readOnly={username !== undefined}
        autofocus={username === undefined}
        required
      />
      <Field
        label={t.signIn.password}
        type="password"
        value={password}
        onInput={setPassword}
        autocomplete="current-password"
        autofocus={username !== undefined}
        required
      />
      {asked > 0 && (
        // A new field after a wrong code takes the focus again.
        <CodeField key={asked} value={code} onInput={setCode} autofocus />
      )}
      <Check label={t.signIn.stay} hint={t.signIn.stayHint} checked={stay} onChange={setStay} />
    </Form>
  );
}
