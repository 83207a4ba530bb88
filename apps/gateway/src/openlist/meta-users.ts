import { Fault } from '@keyfold/http-envelope';
import type { MetaUsers, MirroredIds } from '@keyfold/openlist';
import type { Holding } from './exchange/relay.js';
import { isRecord, readJson, type Fields } from './setting-token.js';

/** In bytes. A meta may have long texts. */
export const METAS_BYTES = 4_194_304;
/** Users of one list that is saved. */
const MAX_USERS = 1_000;
/** Different users in an answer. */
const MAX_SHOWN_USERS = 10_000;

const LISTS = ['read_users', 'write_users'] as const;

type Ids = Pick<MirroredIds, 'accountsOf' | 'usersOf'>;

export const holdMetas: Holding = ({ status }) => (status === 200 ? METAS_BYTES : undefined);

/**
 * Replaces the users of the metas in an answer by their accounts. Users without an account are left out.
 *
 * @throws Fault 502 if the answer cannot be read.
 */
export async function withAccounts(body: Buffer, ids: Pick<Ids, 'accountsOf'>): Promise<Buffer> {
  const fault = () => new Fault(502, 'the answer of OpenList cannot be read');
  const answer = readJson(body, fault);
  const data = isRecord(answer) ? answer['data'] : undefined;
  const metas = [isRecord(data) && Array.isArray(data['content']) ? data['content'] : data].flat().filter(isRecord);
  const shown = new Set(metas.flatMap((meta) => LISTS.flatMap((list) => idsOf(meta[list], fault) ?? [])));
  if (shown.size === 0) return body;
  if (shown.size > MAX_SHOWN_USERS)
    throw new Fault(502, `the metas name more than ${MAX_SHOWN_USERS} users: ask for fewer metas at once`);
  const accounts = await ids.accountsOf(shown);
  for (const meta of metas)
    for (const list of LISTS) meta[list] = idsOf(meta[list], fault)?.flatMap((id) => accounts.get(id) ?? []) ?? null;
  return Buffer.from(JSON.stringify(answer));
}

/**
 * Replaces the accounts in a meta that is saved by their users. Users without an account, which the client did not see, stay: without them, a list could
 * become empty, which means everybody. What is sent is what was read here, because the readers take repeated fields differently.
 *
 * @param present returns the users of the stored meta with this id.
 * @throws Fault 400 for a body that is not a meta, and for an account without a user.
 */
export async function withUsers(
  body: Buffer,
  ids: Ids,
  present: (id: number) => Promise<MetaUsers | undefined>,
): Promise<Buffer> {
  const meta = readMeta(body);
  const named = new Set(LISTS.flatMap((list) => meta[list] ?? []));
  const [users, kept] = await Promise.all([ids.usersOf(named), keptUsers(meta.id, ids, present)]);
  const missing = [...named].find((id) => !users.has(id));
  if (missing !== undefined)
    throw new Fault(400, `nothing was saved: account ${missing} does not exist or has no user in OpenList`);
  const lists = LISTS.map((list) => {
    const saved = [...(meta[list] ?? []).map((id) => users.get(id)!), ...kept[list]];
    return [list, [...new Set(saved)]] as const;
  });
  return Buffer.from(JSON.stringify({ ...meta.fields, ...Object.fromEntries(lists) }));
}

type ReadMeta = Readonly<
  { fields: Fields; id: number | undefined } & Partial<Record<(typeof LISTS)[number], number[]>>
>;

function readMeta(body: Buffer): ReadMeta {
  const fault = () => new Fault(400, 'the body must be a meta in JSON');
  const read = readJson(body, fault);
  if (!isRecord(read) || Array.isArray(read)) throw fault();
  const names = Object.keys(read).map((name) => name.toLowerCase());
  // Go matches names of fields whatever their case, some of its readers also other letters.
  if (new Set(names).size < names.length || names.some((name) => !/^[a-z0-9_]+$/.test(name)))
    throw new Fault(400, 'the body must name each field of a meta once');
  const fields: Fields = Object.fromEntries(Object.entries(read).map(([name, value]) => [name.toLowerCase(), value]));
  const { id, read_users, write_users } = fields;
  if (id !== undefined && !isId(id)) throw fault();
  const lists = { read_users: idsOf(read_users, fault), write_users: idsOf(write_users, fault) };
  if (LISTS.some((list) => (lists[list]?.length ?? 0) > MAX_USERS))
    throw new Fault(400, `a meta may name at most ${MAX_USERS} users in a list`);
  return { fields, id, ...lists };
}

/** Returns the users of the stored meta that stand for no account. */
async function keptUsers(
  id: number | undefined,
  ids: Ids,
  present: (id: number) => Promise<MetaUsers | undefined>,
): Promise<Record<(typeof LISTS)[number], number[]>> {
  const stored = id ? await present(id) : undefined;
  const accounts = await ids.accountsOf(LISTS.flatMap((list) => stored?.[list] ?? []));
  const kept = (users: readonly number[] | null | undefined) => (users ?? []).filter((user) => !accounts.has(user));
  return { read_users: kept(stored?.read_users), write_users: kept(stored?.write_users) };
}

function idsOf(value: unknown, fault: () => Fault): number[] | undefined {
  if (value === undefined || value === null) return undefined;
  if (!Array.isArray(value) || !value.every(isId)) throw fault();
  return value;
}

const isId = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;
