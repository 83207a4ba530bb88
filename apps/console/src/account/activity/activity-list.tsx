import { useEffect, useRef, useState } from 'preact/hooks';
import type { components } from '../../api/openapi.js';
import { deviceOf } from '../../formats/device.js';
import { startOfDay } from '../../formats/day.js';
import { t, wordOf } from '../../texts/texts.js';
import { Choice, Field } from '../../ui/form.js';
import { Ready } from '../../ui/page.js';
import { Problem } from '../../ui/problem.js';
import { address, setQuery } from '../../ui/router.js';
import { Table } from '../../ui/table.js';
import { Time } from '../../ui/time.js';
import { useAction } from '../../ui/use-action.js';
import { useLoad } from '../../ui/use-load.js';
import { actorOf, factsOf, subjectOf, type Activity } from './activity-words.js';

type ActivityPage = components['schemas']['ActivityPageResponse'];
export type ActivityQuery = Readonly<{ type?: string; from?: string; until?: string; cursor?: string }>;
type ReadPage = (query: ActivityQuery, signal?: AbortSignal) => Promise<ActivityPage>;

/** The history of an account, with filters in the address. `read` reads a page of it. */
export function ActivityList({ read }: Readonly<{ read: ReadPage }>) {
  const { query } = address.value;
  const type = query.get('type') ?? '';
  const from = query.get('from') ?? '';
  const until = query.get('until') ?? '';
  const filter = { type, from: startOfDay(from), until: startOfDay(until, 1) };
  const isFiltered = Object.values(filter).some(Boolean);
  const first = useLoad((signal) => readOn(read, filter, signal), [type, from, until]);
  return (
    <>
      <div class="filters" role="search" aria-label={t.activity.filters}>
        <Choice
          label={t.activity.type}
          value={type}
          onChange={(chosen) => setQuery({ type: chosen })}
          choices={choicesWith(type)}
        />
        <Field label={t.activity.from} type="date" value={from} onInput={(day) => setQuery({ from: day })} />
        <Field label={t.activity.until} type="date" value={until} onInput={(day) => setQuery({ until: day })} />
      </div>
      <Ready of={first}>
        {(page) => (
          <Pages first={page} readNext={(cursor) => readOn(read, { ...filter, cursor })} isFiltered={isFiltered} />
        )}
      </Ready>
    </>
  );
}

/** Empty pages that are skipped at a time. */
const SKIPPED = 10;

/** Reads a page. Reads on while pages are empty, because those of a rare type may be empty long before the end. */
async function readOn(read: ReadPage, query: ActivityQuery, signal?: AbortSignal): Promise<ActivityPage> {
  let page = await read(query, signal);
  for (let skipped = 0; page.content.length === 0 && page.next_cursor && skipped < SKIPPED; skipped++)
    page = await read({ ...query, cursor: page.next_cursor }, signal);
  return page;
}

/** The types by their names. An address may contain one that the console does not know. */
function choicesWith(type: string): [value: string, text: string][] {
  const { types, allTypes } = t.activity;
  const known = type === '' || Object.hasOwn(types, type) ? types : { ...types, [type]: type };
  return [['', allTypes], ...Object.entries(known)];
}

type PagesProps = Readonly<{
  first: ActivityPage;
  readNext: (cursor: string) => Promise<ActivityPage>;
  isFiltered: boolean;
}>;

/** The pages that were loaded so far. They are dropped when the first page is another one. */
function Pages({ first, readNext, isFiltered }: PagesProps) {
  const action = useAction();
  const [more, setMore] = useState<Readonly<{ after: ActivityPage; pages: readonly ActivityPage[] }>>({
    after: first,
    pages: [],
  });
  const pages = [first, ...(more.after === first ? more.pages : [])];
  const rows = pages.flatMap(({ content }) => content);
  const { next_cursor: next } = pages.at(-1)!;
  const loadMore = () =>
    action.run(async () => {
      const page = await readNext(next);
      setMore({ after: first, pages: [...pages.slice(1), page] });
    });
  const nothing = next ? t.activity.notYet : isFiltered ? t.activity.noMatch : t.activity.empty;
  return (
    <>
      <Table caption={t.activity.title} columns={columns()} rows={rows} keyOf={({ id }) => id} empty={nothing} />
      <Problem error={action.error} />
      {next && (
        <p>
          <button type="button" aria-busy={action.busy} onClick={() => !action.busy && void loadMore()}>
            {t.activity.more}
          </button>
        </p>
      )}
      {rows.length > 0 && <Count count={rows.length} isEnd={!next} takesFocus={pages.length > 1 && !next} />}
    </>
  );
}

type CountProps = Readonly<{ count: number; isEnd: boolean; takesFocus: boolean }>;

/** Says how many entries are shown. It takes the focus from the button that has disappeared. */
function Count({ count, isEnd, takesFocus }: CountProps) {
  const text = useRef<HTMLParagraphElement>(null);
  useEffect(() => {
    if (takesFocus) text.current?.focus();
  }, [takesFocus]);
  return (
    <p class="hint" role="status" tabIndex={-1} ref={text}>
      {t.activity.count(count)}
      {isEnd && ` · ${t.activity.end}`}
    </p>
  );
}

const columns = () => [
  { title: t.activity.time, cell: ({ time }: Activity) => <Time at={time} isExact /> },
  { title: t.activity.what, cell: (activity: Activity) => <What activity={activity} /> },
  { title: t.activity.by, cell: ({ actor }: Activity) => actorOf(actor) },
  {
    title: t.activity.place,
    cell: ({ ip, ua }: Activity) => {
      const { program, system } = deviceOf(ua);
      return ip && [ip, program, system].filter(Boolean).join(' · ');
    },
  },
];

function What({ activity }: Readonly<{ activity: Activity }>) {
  const subject = subjectOf(activity);
  return (
    <details>
      <summary>
        {wordOf(t.activity.types, activity.type)}
        {subject && <span class="subject">{subject}</span>}
      </summary>
      <dl>
        {factsOf(activity).map(([name, text]) => (
          <>
            <dt>{name}</dt>
            <dd>{text}</dd>
          </>
        ))}
      </dl>
    </details>
  );
}
