import { useEffect } from 'preact/hooks';
import { get } from '../api/client.js';
import type { components } from '../api/openapi.js';
import { t } from '../texts/texts.js';
import { Page, Ready, Section } from '../ui/page.js';
import { Table } from '../ui/table.js';
import { useLoad } from '../ui/use-load.js';
import { LoginChart } from './login-chart.js';
import { ParkedList } from './parked-list.js';

type Overview = components['schemas']['OverviewResponse'];
type Part = Overview['parts'][number];

/** Milliseconds between two readings while the page is visible. */
const REFRESH = 10_000;

/** What is going on: health, progress, logins, and what waits for an administrator. */
export default function OverviewScreen() {
  const loaded = useLoad((signal) => get('/api/admin/overview', { signal }));
  useEffect(() => {
    const timer = setInterval(() => document.visibilityState === 'visible' && loaded.reload(), REFRESH);
    return () => clearInterval(timer);
  }, []);
  return (
    <Page title={t.overview.title} intro={t.overview.intro}>
      <Ready of={loaded}>
        {(overview) => (
          <>
            <Facts {...overview} />
            <Section title={t.overview.logins}>
              <LoginChart hours={overview.logins} />
            </Section>
            <Section title={t.overview.health}>
              <Health parts={overview.parts} />
            </Section>
            <Section title={t.overview.readers}>
              <Readers readers={overview.readers} />
            </Section>
            <Section title={t.overview.parked}>
              <ParkedList
                count={overview.readers.reduce((sum, { parked }) => sum + parked, 0)}
                onRetried={loaded.reload}
              />
            </Section>
          </>
        )}
      </Ready>
    </Page>
  );
}

function Facts({ version, store, openlist }: Overview) {
  return (
    <dl>
      <dt>{t.overview.version}</dt>
      <dd>{version}</dd>
      <dt>{t.overview.store}</dt>
      <dd>{store === 'sqlite' ? 'SQLite' : 'MongoDB'}</dd>
      {openlist && (
        <>
          <dt>OpenList</dt>
          <dd>
            <code>{openlist.url}</code> <State state={openlist.state} />
          </dd>
        </>
      )}
    </dl>
  );
}

const State = ({ state }: Pick<Part, 'state'>) => (
  <span class={state === 'up' ? 'tag' : 'tag bad'}>{t.overview.states[state]}</span>
);

const Health = ({ parts }: Readonly<{ parts: readonly Part[] }>) => (
  <Table
    caption={t.overview.health}
    rows={parts}
    keyOf={({ name }) => name}
    empty={t.overview.healthEmpty}
    columns={[
      { title: t.overview.part, cell: ({ name }) => name },
      { title: t.overview.state, cell: (part) => <State {...part} /> },
      { title: t.overview.detail, cell: ({ detail }) => detail },
    ]}
  />
);

const Readers = ({ readers }: Pick<Overview, 'readers'>) => (
  <Table
    caption={t.overview.readers}
    rows={readers}
    keyOf={({ name }) => name}
    empty={t.overview.readersEmpty}
    columns={[
      { title: t.overview.reader, cell: ({ name }) => t.overview.readerNames[name] ?? name },
      { title: t.overview.lag, cell: ({ lag }) => t.overview.commits(lag) },
      { title: t.overview.waiting, cell: ({ parked }) => parked },
    ]}
  />
);
