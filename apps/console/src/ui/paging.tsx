import { t } from '../texts/texts.js';
import { address, setQuery } from './router.js';

/** The number of the page in the address, from 1. A screen with several lists names the parameter of each. */
export const pageNumber = (name = 'page'): number =>
  Math.max(1, Math.trunc(Number(address.value.query.get(name))) || 1);

/** Leads to the pages before and after. The number is in the address. */
export function Paging({ total, perPage, name = 'page' }: Readonly<{ total: number; perPage: number; name?: string }>) {
  const pages = Math.max(1, Math.ceil(total / perPage));
  const page = pageNumber(name);
  if (pages === 1 && page === 1) return null;
  const goTo = (number: number) => setQuery({ [name]: number === 1 ? '' : String(number) });
  return (
    <div class="buttons paging">
      <button type="button" disabled={page <= 1} onClick={() => goTo(Math.min(page - 1, pages))}>
        {t.common.previous}
      </button>
      <span role="status">{t.common.pageOf(page, pages)}</span>
      <button type="button" disabled={page >= pages} onClick={() => goTo(page + 1)}>
        {t.common.next}
      </button>
    </div>
  );
}
