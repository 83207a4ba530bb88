import { Module, type DynamicModule, type INestApplicationContext } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { ClientAddress, TrustedNetworks } from '../request/client-address.js';
import { KeyController } from './key.controller.js';
import { LoginCheckController } from './login-check.controller.js';
import { FileServerAuthenticator } from './file-server-authenticator.js';
import { SftpgoController } from './sftpgo.controller.js';
import { WebLoginController } from './web-login.controller.js';

/** The application whose services the servers port uses. */
export type Services = Pick<INestApplicationContext, 'get'>;

const UNTRUSTED = 'ignored a forwarded address: if the web server is yours, add it to KEYFOLD_SERVERS_TRUSTED';

@Module({})
export class FileServersModule {
  /**
   * Returns the module of the servers port. It has controllers of its own and takes the buses of the API, so that a process has its handlers,
   * caches and connections once. `trusted` contains the addresses and CIDR networks of file servers that are believed.
   */
  static forRoot(api: Services, trusted: readonly string[]): DynamicModule {
    return {
      module: FileServersModule,
      controllers: [KeyController, LoginCheckController, SftpgoController, WebLoginController],
      providers: [
        { provide: QueryBus, useValue: api.get(QueryBus, { strict: false }) },
        { provide: CommandBus, useValue: api.get(CommandBus, { strict: false }) },
        { provide: TrustedNetworks, useValue: new TrustedNetworks(trusted) },
        { provide: ClientAddress, useValue: new ClientAddress(trusted, UNTRUSTED) },
        FileServerAuthenticator,
      ],
    };
  }
}
