import { render } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { get, Refusal } from '../api/client.js';
import { ADMINISTRATOR, current, forgetToken, interrupted, token } from '../api/session.js';
import { chooseLanguage, t } from '../texts/texts.js';
import { Page } from '../ui/page.js';
import { Problem } from '../ui/problem.js';
import { useLoad } from '../ui/use-load.js';
import { useAction } from '../ui/use-action.js';
import { address, BASE, followLinks, navigate } from '../ui/router.js';
import { Outlet } from './outlet.js';
import { screenOf, screens, START, type Screen } from './screens.js';
import { SignInAgain } from './sign-in.js';
import { SignedOut } from './signed-out.js';

/** Starts the console in an element of the page. */
export async function start(root: Element): Promise<void> {
  await chooseLanguage();
  followLinks();
  // The screen arrives while the account is read.
  if (token.value !== undefined) void screenOf(address.value.path)?.screen.load();
  render(<App />, root);
}

function App() {
  return (
    <>
      {token.value === undefined ? <SignedOut /> : <SignedIn />}
      {interrupted.value && <SignInAgain {...interrupted.value} />}
    </>
  );
}

/** Loads the account before anything else: the screens depend on its role. */
function SignedIn() {
  const { error } = useLoad(async (signal) => {
    current.value = await get('/api/me', { signal });
  });
  useEffect(() => {
    if (address.value.path === '/') navigate(START, 'replace');
  }, [address.value.path]);
  if (!current.value)
    return error === undefined ? <div class="loading" aria-busy="true" /> : <Unusable error={error} />;
  return (
    <>
      <a class="skip" href="#content">
        {t.shell.skip}
      </a>
      <Banner />
      <div class="shell">
        <Navigation isAdministrator={current.value.role === ADMINISTRATOR} />
        <main id="content" tabIndex={-1}>
          <Outlet />
        </main>
      </div>
    </>
  );
}

function Unusable({ error }: Readonly<{ error: unknown }>) {
  return (
    <main class="narrow">
      <Page title="Keyfold">
        <Problem error={error} />
        <button type="button" onClick={forgetToken}>
          {t.signIn.other}
        </button>
      </Page>
    </main>
  );
}

function Banner() {
  const action = useAction();
  const signOut = () =>
    action.run(async () => {
      // 401 says that the session has ended already.
      await get('/api/auth/logout').catch((error: unknown) => {
        if (!(error instanceof Refusal && error.code === 401)) throw error;
      });
      forgetToken();
      navigate('/', 'replace');
    });
  return (
    <>
      <header class="banner">
        <a class="brand" href={`${BASE}${START}`}>
          Keyfold
        </a>
        <span class="who">{current.value?.username}</span>
        <button type="button" class="quiet" aria-busy={action.busy} onClick={() => void signOut()}>
          {t.shell.signOut}
        </button>
      </header>
      <Problem error={action.error} />
    </>
  );
}

function Navigation({ isAdministrator }: Readonly<{ isAdministrator: boolean }>) {
  const shown = screens.filter(({ hidden }) => !hidden);
  const bar = useRef<HTMLElement>(null);
  // Narrow windows show only a part of it.
  useEffect(() => {
    bar.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [address.value.path]);
  return (
    <nav aria-label={t.shell.navigation} ref={bar}>
      <Links title={t.shell.account} screens={shown.filter((each) => each.for === 'everybody')} />
      {isAdministrator && (
        <Links title={t.shell.administration} screens={shown.filter((each) => each.for === 'administrators')} />
      )}
    </nav>
  );
}

function Links({ title, screens: listed }: Readonly<{ title: string; screens: readonly Screen[] }>) {
  if (listed.length === 0) return null;
  return (
    <>
      <h2>{title}</h2>
      <ul>
        {listed.map(({ path, title: name }) => (
          <li key={path}>
            <a href={`${BASE}${path}`} aria-current={address.value.path.startsWith(path) ? 'page' : undefined}>
              {name()}
            </a>
          </li>
        ))}
      </ul>
    </>
  );
}
