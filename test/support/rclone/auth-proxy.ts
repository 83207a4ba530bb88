import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { HelperSetup, type HelperRun } from '../openssh/ssh-helper.js';

/** The helper with a folder of the site, as rclone runs it. */
export class AuthProxy {
  private constructor(
    private readonly program: string,
    readonly setup: HelperSetup,
    readonly site: string,
  ) {}

  /** Prepares a site with a folder `ann`, and these addresses, for the current test. */
  static async ofTest(program: string, addresses: readonly string[], ...lines: string[]): Promise<AuthProxy> {
    const setup = await HelperSetup.ofTest(program, addresses);
    const proxy = new AuthProxy(program, setup, join(setup.folder, 'site'));
    await mkdir(join(proxy.site, 'ann'), { recursive: true });
    await chmod(proxy.site, 0o755);
    await proxy.configure(addresses, ...lines);
    return proxy;
  }

  configure(addresses: readonly string[], ...lines: string[]): Promise<void> {
    return this.setup.configure(addresses, `root ${this.site}`, ...lines);
  }

  /** Asks about a login. `question` is sent as JSON unless it is a text. */
  async ask(question: object | string, protocol = 'sftp'): Promise<HelperRun> {
    const since = performance.now();
    const child = spawn(this.program, ['-config', this.setup.config, 'auth-proxy', protocol], { env: {} });
    let [out, errors] = ['', ''];
    child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text));
    child.stdin.on('error', () => undefined);
    child.stdin.end(typeof question === 'string' ? question : JSON.stringify(question));
    const [status] = (await once(child, 'close')) as [number];
    return { status, out, errors, milliseconds: performance.now() - since };
  }
}
