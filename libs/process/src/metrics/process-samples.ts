import type { Health } from '../health/health.js';
import { serviceAppId } from '../service-version.js';
import type { Metrics } from './metrics.js';

/** Tells what the process is and whether its store answers; to be called first, so that a start that waits can be seen. */
export function measureProcess(
  process: 'gateway' | 'standalone' | 'worker',
  { health, metrics }: Readonly<{ health: Health; metrics: Metrics }>,
): void {
  const version = serviceAppId.replace(/^.*\//, '');
  metrics.add(() => [{ name: 'keyfold_build_info', labels: { version, process }, value: 1 }]);
  metrics.add(async () => [{ name: 'keyfold_store_available', value: (await health.passes('store')) ? 1 : 0 }]);
}
