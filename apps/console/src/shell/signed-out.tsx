import { useState } from 'preact/hooks';
import { get } from '../api/client.js';
import { t } from '../texts/texts.js';
import { useLoad } from '../ui/use-load.js';
import { SignIn } from './sign-in.js';

/** Asks for the credentials, or for the setup code while nobody has signed in as the administrator yet. */
export function SignedOut() {
  const [hasAccount, setHasAccount] = useState(false);
  const { data: setup, error } = useLoad(async (signal) => {
    const { open } = await get('/api/auth/setup', { signal });
    return { Setup: open ? (await import('./setup.js')).default : undefined };
  });
  if (setup?.Setup && !hasAccount) return <setup.Setup onSignIn={() => setHasAccount(true)} />;
  if (!setup && error === undefined) return <div class="loading" aria-busy="true" />;
  const back = setup?.Setup && (
    <button type="button" onClick={() => setHasAccount(false)}>
      {t.setup.back}
    </button>
  );
  return <SignIn more={back} />;
}
