import { ADMIN, App, freePort } from '../app.mjs';
import { mainOf } from './built.mjs';

/** Worthless secrets, because they protect the data of one run. */
export const SECRETS = {
  KEYFOLD_TOKEN_SECRET: 'a secret that the processes of a benchmark share',
  KEYFOLD_SEALING_KEY: 'bench:7kHPEHiVD09lj+mji2UbxB+xfb2M1UIaBy9QtoSh5NM=',
};

/** BENCH_PROFILES names a folder for CPU profiles of each gateway and worker. */
const profiles = process.env.BENCH_PROFILES;
const profiling = profiles ? ['--cpu-prof', `--cpu-prof-dir=${profiles}`] : [];

/** Starts a gateway on a database. It trusts the forwarded header, so that each client can have its own address. */
export async function startGateway(uri) {
  const settings = {
    ...SECRETS,
    KEYFOLD_ADMIN_PASSWORD: ADMIN.password,
    KEYFOLD_TRUSTED_PROXIES: '127.0.0.1',
    KEYFOLD_HOST: '127.0.0.1',
  };
  return start('gateway', uri, settings);
}

/** Starts a worker on a database. It is ready before it has read the existing commits. */
export async function startWorker(uri) {
  return start('worker', uri, {});
}

async function start(app, uri, settings) {
  const [port, managementPort] = [await freePort(), await freePort()];
  const url = `http://127.0.0.1:${port}`;
  const ports = { KEYFOLD_PORT: String(port), KEYFOLD_MANAGEMENT_PORT: String(managementPort) };
  const env = { KEYFOLD_MONGODB_URI: uri, KEYFOLD_LOG_LEVEL: 'warn', ...settings, ...ports };
  const management = `http://127.0.0.1:${managementPort}`;
  const started = await App.run([...profiling, mainOf(app)], env, url, `${management}/health/ready`);
  return Object.assign(started, { metricsUrl: `${management}/metrics` });
}
