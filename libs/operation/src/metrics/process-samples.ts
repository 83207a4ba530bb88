import type { ProcessContext } from '../process/run-process.js';
import { serviceAppId } from '../process/service-version.js';

/** Tells what the process is and whether its store answers; to be called first, so that a start that waits can be seen. */
export function measureProcess(
  process: 'gateway' | 'standalone' | 'worker',
  { health, metrics }: Pick<ProcessContext, 'health' | 'metrics'>,
): void {
  const version = serviceAppId.replace(/^.*\//, '');
  metrics.add(() => [{ name: 'keyfold_build_info', labels: { version, process }, value: 1 }]);
  metrics.add(async () => [{ name: 'keyfold_store_available', value: (await health.passes('store')) ? 1 : 0 }]);
}
