import type { INestApplication } from '@nestjs/common';
import { LoginQueues, SecurityLog, StreamQueue } from '@keyfold/application';
import { writeLine, type ApiSettings, type ProcessContext, type ProcessSettings, type Secrets } from '@keyfold/process';
import { PasswordHasher } from '@keyfold/security';
import { canSharePort } from '../http/connections.js';
import { ProcessState } from './process-state.js';
import { ServingThreads } from './serving-threads.js';
import type { ThreadData } from './thread-calls.js';

/** The module of a further thread, beside this file or in the folder of the built app. */
const THREAD = new URL('./serving-thread.worker.js', import.meta.url);

/** How many threads serve, and how another one opens the store. */
export type ThreadOptions = Readonly<{
  count: number;
  openStore: () => ThreadData['store'];
}>;

/** Returns the options of a process on MongoDB, where further processes are the usual way to scale. */
export const threadsOnMongo = ({
  KEYFOLD_THREADS: count = 1,
  KEYFOLD_MONGODB_URI: uri,
  KEYFOLD_TOKEN_SECRET,
  KEYFOLD_SEALING_KEY,
}: Pick<ApiSettings, 'KEYFOLD_THREADS'> & Secrets & Readonly<{ KEYFOLD_MONGODB_URI: string }>): ThreadOptions => ({
  count,
  openStore: () => ({ uri, secrets: { KEYFOLD_TOKEN_SECRET, KEYFOLD_SEALING_KEY } }),
});

/**
 * Prepares the threads that serve beside this one, the owner, and their metrics and check. Returns undefined if this thread
 * serves alone, as it must where the system cannot share a port.
 */
export async function openThreads(
  app: INestApplication,
  settings: ApiSettings & ProcessSettings,
  { count, openStore }: ThreadOptions,
  { log, metrics, health }: ProcessContext,
): Promise<ServingThreads | undefined> {
  if (count === 1) return undefined;
  if (!(await canSharePort())) {
    log.warn(
      'one thread serves, because this system cannot share a port between threads. KEYFOLD_THREADS=1 prevents this warning',
    );
    return undefined;
  }
  const services = {
    hasher: app.get(PasswordHasher, { strict: false }),
    logins: app.get(LoginQueues, { strict: false }),
    streams: app.get(StreamQueue, { strict: false }),
    security: app.get(SecurityLog, { strict: false }),
    state: app.get(ProcessState, { strict: false }),
    log: (line: string) => writeLine(log, line),
  };
  const next = () => {
    const store = openStore();
    const transfer = 'uri' in store ? [] : [store.events.port, store.views.port];
    return { entry: THREAD, data: { settings, store }, transfer };
  };
  const threads = new ServingThreads(count - 1, next, services, (err) =>
    log.error({ err }, 'a serving thread stopped and is being replaced'),
  );
  metrics.add(() => threads.samples());
  health.add('threads', () => {
    if (threads.serving < count - 1) return `only ${threads.serving + 1} of ${count} serve`;
  });
  return threads;
}
