import type { DynamicModule } from '@nestjs/common';
import { openlistOf, type OpenListSettings } from '@keyfold/process';

/** Carrying accounts to OpenList, loaded only by a process with an OpenList server. */
export type Mirror = NonNullable<Awaited<ReturnType<typeof openMirror>>>;

/** Loads what carries accounts. Returns undefined if no OpenList server is set. Throws `InvalidConfiguration`. */
export async function openMirror(settings: OpenListSettings) {
  if (!openlistOf(settings)) return undefined;
  const { MirrorModule, startMirror, checkMirror, measureMirror } = await import('./mirror.module.js');
  return {
    moduleFor: (ports: readonly DynamicModule[], leaseMilliseconds: number) =>
      MirrorModule.forRoot(ports, leaseMilliseconds),
    start: startMirror,
    check: checkMirror,
    measure: measureMirror,
  };
}
