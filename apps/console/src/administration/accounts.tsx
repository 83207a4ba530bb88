import { useEffect, useRef, useState } from 'preact/hooks';
import { get } from '../api/client.js';
import type { components } from '../api/openapi.js';
import { language, t } from '../texts/texts.js';
import { Choice, Field } from '../ui/form.js';
import { Page, Ready } from '../ui/page.js';
import { pageNumber, Paging } from '../ui/paging.js';
import { roleName } from '../ui/permissions.js';
import { address, BASE, setQuery } from '../ui/router.js';
import { Table } from '../ui/table.js';
import { useLoad } from '../ui/use-load.js';
import { NewAccount } from './account/new-account.js';

type Account = components['schemas']['UserResponse'];

const PER_PAGE = 25;
/** Milliseconds without a key press after which a search begins. */
const PAUSE = 250;

/** All accounts. Search, order and page are in the address. */
export default function Accounts() {
  const { query } = address.value;
  const search = query.get('search') ?? '';
  const sort = query.get('sort') === '-id' ? '-id' : 'id';
  const page = pageNumber();
  const [creates, setCreates] = useState(false);
  const loaded = useLoad(
    (signal) => get('/api/admin/user/list', { query: { search, sort, page, per_page: PER_PAGE }, signal }),
    [search, sort, page],
  );
  const create = (
    <button type="button" class="primary" onClick={() => setCreates(true)}>
      {t.accounts.create}
    </button>
  );
  return (
    <Page title={t.accounts.title} actions={create}>
      <div class="filters" role="search" aria-label={t.accounts.title}>
        <Search value={search} />
        <Choice
          label={t.accounts.order}
          value={sort}
          onChange={(order) => setQuery({ sort: order === 'id' ? '' : order, page: '' })}
          choices={[
            ['id', t.accounts.oldestFirst],
            ['-id', t.accounts.newestFirst],
          ]}
        />
      </div>
      <Ready of={loaded}>
        {({ content, total }) => (
          <>
            <p class="hint" role="status">
              {t.accounts.count(total, new Intl.NumberFormat(language).format(total))}
            </p>
            <Table
              caption={t.accounts.title}
              columns={columns()}
              rows={content}
              keyOf={({ id }) => id}
              empty={total > 0 ? <FirstPage /> : t.accounts.nothingFound}
            />
            <Paging total={total} perPage={PER_PAGE} />
          </>
        )}
      </Ready>
      {creates && <NewAccount onClose={() => setCreates(false)} />}
    </Page>
  );
}

/** Searches while somebody types. Another address, such as that of the link in the navigation, replaces the text. */
function Search({ value }: Readonly<{ value: string }>) {
  const [text, setText] = useState(value);
  const searched = useRef(value);
  useEffect(() => {
    if (value !== searched.current) setText((searched.current = value));
  }, [value]);
  useEffect(() => {
    if (text === searched.current) return;
    const timer = setTimeout(() => setQuery({ search: (searched.current = text), page: '' }), PAUSE);
    return () => clearTimeout(timer);
  }, [text]);
  return <Field label={t.accounts.search} type="search" value={text} onInput={setText} />;
}

/** Leads back from a page after the last. */
const FirstPage = () => (
  <button type="button" onClick={() => setQuery({ page: '' })}>
    {t.accounts.firstPage}
  </button>
);

const columns = () => [
  {
    title: t.profile.name,
    cell: ({ id, username, disabled }: Account) => (
      <>
        <a href={`${BASE}/accounts/${id}`}>{username}</a> {disabled && <span class="tag bad">{t.access.disabled}</span>}
      </>
    ),
  },
  { title: t.account.role, cell: ({ role }: Account) => roleName(role) },
  { title: t.profile.folder, cell: ({ base_path: folder }: Account) => <code>{folder}</code> },
  { title: t.account.id, cell: ({ id }: Account) => id },
];
