import { Refusal, type Exchange, type Routes } from './exchange.js';

type Meta = Readonly<{ id: number; path: string; read_users: number[] | null; write_users: number[] | null }>;

const NOT_FOUND = new Refusal(500, 'failed get old meta: record not found');

/** The metas of folders. They name users by their ids. */
export class Metas {
  readonly routes: Routes = {
    'GET /api/admin/meta/list': ['admin', () => ({ content: [...this.metas.values()], total: this.metas.size })],
    'GET /api/admin/meta/get': ['admin', (exchange) => this.withId(Number(exchange.query('id')))],
    'POST /api/admin/meta/create': ['admin', (exchange) => this.save(exchange, () => ++this.lastId)],
    'POST /api/admin/meta/update': ['admin', (exchange) => this.save(exchange, ({ id }) => this.withId(id).id)],
  };
  private readonly metas = new Map<number, Meta>();
  private lastId = 0;

  withId(id: number): Meta {
    const meta = this.metas.get(id);
    if (!meta) throw NOT_FOUND;
    return meta;
  }

  /** Changes a meta behind the back of the service. */
  change(id: number, lists: Partial<Pick<Meta, 'read_users' | 'write_users'>>): void {
    this.metas.set(id, { ...this.withId(id), ...lists });
  }

  private async save(exchange: Exchange, idOf: (meta: Meta) => number): Promise<void> {
    const meta = (await exchange.json()) as Meta;
    const id = idOf(meta);
    this.metas.set(id, { ...meta, read_users: meta.read_users ?? null, write_users: meta.write_users ?? null, id });
  }
}
