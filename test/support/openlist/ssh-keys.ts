import { hash } from 'node:crypto';
import { Refusal, type Exchange, type Routes } from './exchange.js';
import { idOf, isGuest, page, type User, type Users } from './users.js';

type SshKey = Readonly<{ id: number; userId: number; title: string; line: string; fingerprint: string; added: string }>;

/** The SSH keys of all users. As in OpenList, the keys of a deleted user stay. */
export class SshKeys {
  private readonly keys = new Map<number, SshKey>();
  private lastId = 0;

  constructor(private readonly users: Users) {}

  of(userId: number): readonly SshKey[] {
    return [...this.keys.values()].filter((key) => key.userId === userId);
  }

  readonly routes: Routes = {
    'GET /api/me/sshkey/list': ['user', (exchange) => this.list(ownerOf(exchange).id, exchange)],
    'POST /api/me/sshkey/add': ['user', (exchange) => this.add(exchange)],
    'POST /api/me/sshkey/delete': [
      'user',
      (exchange) => {
        const key = this.keys.get(keyIdOf(exchange));
        if (key?.userId !== ownerOf(exchange).id) throw new Refusal(404, 'failed to get public key');
        this.keys.delete(key.id);
      },
    ],
    'GET /api/admin/user/sshkey/list': ['admin', (exchange) => this.list(this.userIdOf(exchange), exchange)],
    'POST /api/admin/user/sshkey/delete': ['admin', (exchange) => void this.keys.delete(keyIdOf(exchange))],
  };

  private async add(exchange: Exchange): Promise<void> {
    const owner = ownerOf(exchange);
    const { title, key } = await exchange.json();
    if (typeof title !== 'string' || typeof key !== 'string' || title === '' || key === '') {
      throw new Refusal(400, 'request invalid');
    }
    if (this.of(owner.id).some((other) => other.title === title)) {
      throw new Refusal(500, 'key with the same title already exists');
    }
    const [type = '', blob = ''] = key.trim().split(/\s+/);
    const bytes = Buffer.from(blob, 'base64');
    if (type === '' || bytes.subarray(4, 4 + type.length).toString() !== type) {
      throw new Refusal(400, 'provided key invalid');
    }
    const fingerprint = `SHA256:${hash('sha256', bytes, 'base64').replace(/=+$/, '')}`;
    const id = ++this.lastId;
    this.keys.set(id, { id, userId: owner.id, title, line: key.trim(), fingerprint, added: new Date().toISOString() });
  }

  private list(userId: number, exchange: Exchange) {
    const rows = this.of(userId).map(({ id, title, fingerprint, added }) => {
      return { id, title, fingerprint, added_time: added, last_used_time: added };
    });
    return page(rows, exchange);
  }

  private userIdOf(exchange: Exchange): number {
    const text = exchange.query('uid');
    if (!/^\d+$/.test(text)) throw new Refusal(400, 'user id format invalid');
    if (!this.users.has(Number(text))) throw new Refusal(404, 'user invalid');
    return Number(text);
  }
}

function ownerOf({ user }: Exchange): User {
  if (isGuest(user)) throw new Refusal(401, 'user invalid');
  return user;
}

function keyIdOf(exchange: Exchange): number {
  if (!/^\d+$/.test(exchange.query('id'))) throw new Refusal(400, 'id format invalid');
  return idOf(exchange);
}
