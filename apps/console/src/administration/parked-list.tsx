import { get, post } from '../api/client.js';
import type { components } from '../api/openapi.js';
import { t } from '../texts/texts.js';
import { Ready } from '../ui/page.js';
import { pageNumber, Paging } from '../ui/paging.js';
import { Problem } from '../ui/problem.js';
import { Table } from '../ui/table.js';
import { Time } from '../ui/time.js';
import { useAction } from '../ui/use-action.js';
import { useLoad } from '../ui/use-load.js';

type Parked = components['schemas']['ParkedResponse'];

const PER_PAGE = 20;

/** Milliseconds within which most retries end. Those of accounts begin in another process. */
const RETRY_TIME = 3_000;

/** `count` is the number of parked streams and accounts when they were last counted. */
type ParkedListProps = Readonly<{ count: number; onRetried: () => void }>;

/** What waits until somebody acts, with a button that tries it again. */
export function ParkedList({ count, onRetried }: ParkedListProps) {
  const page = pageNumber();
  const query = { page, per_page: PER_PAGE };
  const loaded = useLoad((signal) => get('/api/admin/parked', { query, signal }), [page, count]);
  const action = useAction();
  const retry = ({ kind, id }: Parked) =>
    action.run(async () => {
      await post('/api/admin/parked/retry', { body: { kind, id } });
      loaded.reload();
      onRetried();
      setTimeout(loaded.reload, RETRY_TIME);
    });
  return (
    <>
      <Problem error={action.error} />
      <Ready of={loaded}>
        {({ content, total, includes_messages }) => (
          <>
            {!includes_messages && <p class="hint">{t.overview.withoutMessages}</p>}
            <Table
              caption={t.overview.parked}
              rows={content}
              keyOf={({ kind, id }) => `${kind}/${id}`}
              empty={t.overview.parkedEmpty}
              columns={[
                { title: t.overview.kind, cell: ({ kind }) => t.overview.kinds[kind] },
                { title: t.overview.id, cell: ({ id }) => <code>{id}</code> },
                { title: t.overview.since, cell: ({ since }) => since && <Time at={since} /> },
                { title: t.overview.reason, cell: ({ error }) => error },
                {
                  title: '',
                  cell: (each) => (
                    <div class="buttons">
                      <button type="button" aria-busy={action.busy} onClick={() => void retry(each)}>
                        {t.overview.retry}
                      </button>
                    </div>
                  ),
                },
              ]}
            />
            <Paging total={total} perPage={PER_PAGE} />
          </>
        )}
      </Ready>
    </>
  );
}
