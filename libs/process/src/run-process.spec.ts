import { expect, it, vi } from 'vitest';
import { Health } from './health.js';
import { banner, reportReady } from './run-process.js';

function scene() {
  const [report, info, stop] = [vi.fn<() => void>(), vi.fn<(...words: unknown[]) => void>(), new AbortController()];
  let problem: string | undefined = 'the topology of RabbitMQ is incomplete';
  const health = new Health();
  health.add('relay', () => {
    if (problem) throw new Error(problem);
  });
  health.started();
  return { health, report, info, stop, repair: () => (problem = undefined) };
}

it('reports a ready process at once', async () => {
  const { health, report, info, stop, repair } = scene();
  repair();
  await reportReady(health, { info }, stop.signal, report);
  expect([report.mock.calls.length, info.mock.calls.length]).toEqual([1, 0]);
});

it('logs once what an unready process waits for, and reports it as soon as it is ready', async () => {
  const { health, report, info, stop, repair } = scene();
  const reported = reportReady(health, { info }, stop.signal, report);
  await vi.waitFor(() => expect(info).toHaveBeenCalled());
  expect(report).not.toHaveBeenCalled();
  repair();
  await reported;
  expect(report).toHaveBeenCalledOnce();
  const checks = { relay: 'the topology of RabbitMQ is incomplete' };
  expect(info.mock.calls).toEqual([[{ checks }, 'started, not ready yet']]);
});

it('reports nothing once the shutdown has begun', async () => {
  const { health, report, info, stop } = scene();
  const reported = reportReady(health, { info }, stop.signal, report);
  await vi.waitFor(() => expect(info).toHaveBeenCalled());
  stop.abort();
  await reported;
  expect(report).not.toHaveBeenCalled();
});

it('the banner names the address that is bound, and one for a browser', () => {
  expect(banner('http://0.0.0.0:5244')).toContain('Keyfold is ready at http://0.0.0.0:5244\n');
  expect(banner('http://0.0.0.0:5244')).toContain('http://localhost:5244/docs');
  expect(banner('http://127.0.0.1:80')).toMatch(/at http:\/\/127\.0\.0\.1:80\n.*http:\/\/127\.0\.0\.1:80\/docs/);
});
