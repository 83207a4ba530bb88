import { useLoad } from '../ui/use-load.js';
import { Page, Ready } from '../ui/page.js';
import { current, ADMINISTRATOR } from '../api/session.js';
import { t } from '../texts/texts.js';
import { address, BASE } from '../ui/router.js';
import { screenOf, screens, START, type Screen } from './screens.js';

/** Shows the screen of the present address. The service refuses what an account may not do; the console only spares it the way. */
export function Outlet() {
  const found = screenOf(address.value.path);
  if (!found || (found.screen.for === 'administrators' && current.value?.role !== ADMINISTRATOR)) return <NotFound />;
  return <Shown key={screens.indexOf(found.screen)} {...found} />;
}

function Shown({ screen, rest }: Readonly<{ screen: Screen; rest: string }>) {
  const loaded = useLoad(async () => (await screen.load()).default, [screen]);
  return <Ready of={loaded}>{(Content) => <Content key={rest} rest={rest} />}</Ready>;
}

const NotFound = () => (
  <Page title={t.problems.notFound}>
    <a href={`${BASE}${START}`}>{t.problems.toStart}</a>
  </Page>
);
