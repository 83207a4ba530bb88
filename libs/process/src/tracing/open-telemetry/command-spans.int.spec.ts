import { CommandRunner } from '@keyfold/application';
import { DomainError } from '@keyfold/domain';
import { StoreUnavailable } from '@keyfold/event-store';
import { ListUpdates, sshKeyRingStream } from '@keyfold/projections';
import { describe, expect, it } from 'vitest';
import { EmbeddedFolder, EmbeddedService } from '../../../../application/testing/embedded-service.js';
import { addKey, publicKey } from '../../../../domain/testing/ssh-key-ring.events.js';
import { RecordedSpans } from '../../../testing/recorded-spans.js';
import { CommandSpans } from './command-spans.js';

const CLIENT = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
const context = { actor: 'test', correlation: 'test' };
const ring = sshKeyRingStream(7);

/** Sets up traced commands on a new store; `beforeAppend` runs before each attempt to append. */
function traced(
  beforeAppend: (append: number, folder: EmbeddedFolder) => Promise<unknown> | undefined = () => undefined,
  recorded = new RecordedSpans(),
) {
  const folder = new EmbeddedFolder();
  let appends = 0;
  const { store, loader, projection, clock } = new EmbeddedService(folder, (call) =>
    call === 'EventStore.append' ? beforeAppend(++appends, folder) : undefined,
  );
  const traces = new CommandSpans(recorded.spans, 'sqlite');
  const runner = new CommandRunner(store, loader, new ListUpdates(projection, () => undefined), clock, traces);
  const add = (title: string) => runner.run(ring, addKey(title, publicKey(title)), { ...context, traceparent: CLIENT });
  return { add, recorded, store };
}

/** Runs the same command as another process. */
const rival = (folder: EmbeddedFolder, title: string) =>
  new EmbeddedService(folder).runner.run(ring, addKey(title, publicKey(title)), context);

describe('a command', () => {
  it('has a span with its append as a child, and the commit stores its context, not that of the client', async () => {
    const { add, recorded, store } = traced();
    await add('laptop');
    expect(recorded.outcomes).toEqual(['append commits: appended', 'AddSshKey']);
    const [append, command] = recorded.ended;
    const { traceId, spanId } = command!.spanContext();
    expect(append).toMatchObject({ parentSpanContext: { traceId, spanId } });
    const [commit] = await store.readFeed(0, 0, 10);
    expect(commit?.traceparent).toBe(`00-${traceId}-${spanId}-01`);
  });

  it('has a span that is a child of the active span', async () => {
    const { add, recorded } = traced();
    const request = recorded.spans.begin('request', {});
    await recorded.spans.follow(request, () => add('laptop'));
    const [append, command] = recorded.ended;
    expect(command).toMatchObject({ parentSpanContext: { spanId: request.spanContext().spanId } });
    expect(append?.spanContext().traceId).toBe(request.spanContext().traceId);
  });

  it('that is refused is not an error', async () => {
    const { add, recorded } = traced();
    await add('laptop');
    await expect(add('laptop')).rejects.toEqual(new DomainError('ssh-key-title-taken'));
    expect(recorded.outcomes.at(-1)).toBe('AddSshKey: ssh-key-title-taken');
    expect(recorded.ended.at(-1)?.status).toEqual({ code: 0 });
  });

  it('has a span for each attempt to append; conflicts are not errors', async () => {
    const { add, recorded } = traced((append, folder) => (append === 1 ? rival(folder, 'theirs') : undefined));
    await add('ours');
    expect(recorded.outcomes).toEqual(['append commits: conflict', 'append commits: appended', 'AddSshKey']);
    expect(recorded.ended.map(({ status }) => status.code)).toEqual([0, 0, 0]);
  });

  it('that fails is an error; only its type is recorded', async () => {
    const { add, recorded } = traced(() => Promise.reject(new StoreUnavailable('mongodb://user:secret@host is down')));
    await expect(add('laptop')).rejects.toBeInstanceOf(StoreUnavailable);
    expect(recorded.outcomes).toEqual(['append commits: StoreUnavailable', 'AddSshKey: StoreUnavailable']);
    for (const { status, events } of recorded.ended) {
      expect(status).toEqual({ code: 2 });
      expect(events).toEqual([]);
    }
  });

  it('is not exported without sampling, and its commit stores the unsampled flag', async () => {
    const recorded = new RecordedSpans({ OTEL_TRACES_SAMPLER: 'parentbased_always_off', OTEL_TRACES_SAMPLER_ARG: 1 });
    const { add, store } = traced(undefined, recorded);
    await add('laptop');
    expect(recorded.ended).toEqual([]);
    const [commit] = await store.readFeed(0, 0, 10);
    expect(commit?.traceparent).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-00$/);
  });
});
