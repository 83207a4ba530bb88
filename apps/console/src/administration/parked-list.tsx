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

/** What waits until somebody acts, with a button that tries it again. */
export function ParkedList({ onRetried }: Readonly<{ onRetried: () => void }>) {
  const page = pageNumber();
  const loaded = useLoad((signal) => get('/api/admin/parked', { query: { page, per_page: PER_PAGE }, signal }), [page]);
  const action = useAction();
  const retry = ({ kind, id }: Parked) =>
    action.run(async () => {
      await post('/api/admin/parked/retry', { body: { kind, id } });
      loaded.reload();
      onRetried();
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
