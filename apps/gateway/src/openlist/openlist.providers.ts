import type { DynamicModule, Provider } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { MirroredIds, OpenListApi, OpenListForeign, OpenListMirror } from '@keyfold/openlist';
import { StreamLoader } from '@keyfold/projections';
import { InvalidConfiguration, openlistOf, type ApiSettings } from '@keyfold/process';
import { OpenListModule } from '@keyfold/wiring';
import { Forwarding } from '../http/forwarding.js';
import { ClientAddress } from '../request/client-address.js';
import { Identities } from './identity.js';
import { WebDavLogins } from './webdav/webdav-logins.js';

/** Returns the parts of a gateway in front of OpenList, none if there is no OpenList. */
export function openListParts(settings: ApiSettings): Readonly<{ modules: DynamicModule[]; providers: Provider[] }> {
  const openlist = openlistOf(settings);
  if (!openlist) return { modules: [], providers: [] };
  return {
    modules: [OpenListModule.forRoot(openlist)],
    providers: [
      WebDavLogins,
      Identities,
      {
        provide: MirroredIds,
        inject: [OpenListApi, StreamLoader, OpenListMirror],
        useFactory: (...parts: ConstructorParameters<typeof MirroredIds>) => new MirroredIds(...parts),
      },
      {
        provide: Forwarding,
        inject: [OpenListApi, Identities, ClientAddress, QueryBus, MirroredIds],
        useFactory: async (api: OpenListApi, ...others: [Identities, ClientAddress, QueryBus, MirroredIds]) => {
          await api.version().catch(asConfigurationError);
          // Loads undici, which a process without OpenList does not need.
          const { OpenListForwarding } = await import('./openlist-forwarding.js');
          const { KEYFOLD_HSTS_SECONDS: hstsSeconds } = settings;
          return new OpenListForwarding({ url: openlist.url, hstsSeconds }, api, ...others);
        },
      },
    ],
  };
}

/** Refuses the start if OpenList answers below a path. An unreachable OpenList may come back. */
function asConfigurationError(error: unknown): void {
  if (error instanceof OpenListForeign && error.path !== undefined)
    throw new InvalidConfiguration([`KEYFOLD_OPENLIST_URL: ${error.message}`]);
}
