import { Logger } from '@nestjs/common';
import { activityJson, type ShownActivity } from '@keyfold/application';
import { Fault, toJson } from '@keyfold/http-envelope';
import { reasonOf } from '@keyfold/reporting';
import { Readable } from 'node:stream';

/** Exports that a thread serves at the same time. */
export const MOST_EXPORTS = 2;
/** Milliseconds after which an export ends if its client reads nothing. */
export const STALLED_AFTER = 60_000;
/** Bytes that wait for the client before the store is read on. */
const BUFFER = 65_536;

type Pages = AsyncGenerator<readonly ShownActivity[]>;

/** Sends activities as lines of JSON, as fast as the client reads them. */
export class ActivityExport {
  readonly #log = new Logger('ActivityExport');
  #running = 0;

  /** Tests shorten `stalledAfter`. */
  constructor(private readonly stalledAfter = STALLED_AFTER) {}

  /**
   * Returns the stream of an export that has read its first activities, so that a missing store still gets its 503. A later error destroys the
   * stream before the last chunk, which HTTP/1.1 clients and proxies report. A count at the end
   * or a trailer would protect only clients that know it.
   *
   * @throws Fault 503 if too many exports are running, and whatever the first read throws.
   */
  async start(open: () => Promise<Pages>): Promise<Readable> {
    if (this.#running >= MOST_EXPORTS)
      throw new Fault(503, `${MOST_EXPORTS} exports are running: try again later`, { retryAfterSeconds: 30 });
    this.#running += 1;
    try {
      const pages = await open();
      const first = await pages.next();
      return this.#streamOf(first, pages);
    } catch (error) {
      this.#running -= 1;
      throw error;
    }
  }

  #streamOf(first: IteratorResult<readonly ShownActivity[]>, pages: Pages): Readable {
    const lines = this.#linesOf(first, pages, () => stream.destroy(new Error('the client stopped reading')));
    const stream = Readable.from(lines, { objectMode: false, highWaterMark: BUFFER });
    // Not in the generator, which never runs if the client disconnects at once.
    stream.once('close', () => {
      this.#running -= 1;
      void pages.return(undefined);
    });
    stream.once('error', (error) =>
      this.#log.warn({ reason: reasonOf(error) }, 'an export of the activity ended early'),
    );
    return stream;
  }

  async *#linesOf(
    first: IteratorResult<readonly ShownActivity[]>,
    pages: Pages,
    onStalled: () => void,
  ): AsyncGenerator<string> {
    for (let page = first; !page.done; page = await pages.next()) {
      const text = page.value.map((activity) => `${toJson(activityJson(activity))}\n`).join('');
      if (text === '') continue;
      const timer = setTimeout(onStalled, this.stalledAfter);
      try {
        yield text;
      } finally {
        clearTimeout(timer);
      }
    }
  }
}
