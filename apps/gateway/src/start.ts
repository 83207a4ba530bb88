import {
  apiSettings,
  measureProcess,
  mongoSettings,
  mongoStoreOnly,
  processSettings,
  readSettings,
  runProcess,
  sharedSecretSettings,
  tracingModules,
  type Environment,
} from '@keyfold/process';
import { loadMongoStoreModule, SecretsModule } from '@keyfold/wiring';
import { z } from 'zod';
import { GatewayModule, ID_BLOCK, processServices, serveApi, threadsOnMongo } from './gateway.module.js';

const settings = z.object({
  ...processSettings,
  ...mongoStoreOnly,
  ...mongoSettings,
  ...sharedSecretSettings,
  ...apiSettings,
});

/** Runs a gateway: the API on a store that it shares with other gateways and workers. */
export const startGateway = () =>
  runProcess(
    (environment: Environment) => readSettings(settings, environment),
    async (config, context) => {
      measureProcess('gateway', context);
      const ports = [
        ...tracingModules(context.tracing, 'mongodb'),
        await loadMongoStoreModule(config.KEYFOLD_MONGODB_URI, context),
        SecretsModule.forRoot(config),
      ];
      const module = GatewayModule.forRoot(ports, config, ID_BLOCK.shared, processServices(context.health));
      return serveApi(module, config, context, { threads: () => threadsOnMongo(config) });
    },
  );
