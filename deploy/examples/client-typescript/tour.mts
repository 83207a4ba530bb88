// The tour of docs/use/tour.md with a generated client. README.md describes how to generate `keyfold.ts` and run it.
import createClient from 'openapi-fetch';
import { generateSync } from 'otplib';
import type { paths } from './keyfold.ts';

const [baseUrl = '', adminPassword = '', key = ''] = process.argv.slice(2);
const keyfold = createClient<paths>({ baseUrl });
const as = (token: string) => ({ headers: { Authorization: token } });

/** Prints an answer and returns it. Throws if the service could not handle the request. */
function print<Answer>({ data, error }: { data?: Answer; error?: { code: number; message: string } }): Answer {
  if (data === undefined) throw new Error(`HTTP ${error?.code}: ${error?.message}`);
  console.log(JSON.stringify(data));
  return data;
}

/** Logs in and returns the token, or undefined if two-factor login requires a code. */
async function logIn(username: string, password: string, otp_code?: string): Promise<string | undefined> {
  const { data } = await keyfold.POST('/api/auth/login', { body: { username, password, otp_code } });
  if (data?.code === 402) console.log(JSON.stringify(data));
  else if (!data?.data) throw new Error(`login failed: ${data?.message}`);
  return data.data?.token;
}

const admin = (await logIn('admin', adminPassword))!;
print(await keyfold.GET('/api/me', as(admin)));

const account = { username: 'alice', password: 'correct horse', base_path: '/alice' };
print(await keyfold.POST('/api/admin/user/create', { ...as(admin), body: account }));
const alice = (await logIn('alice', 'correct horse'))!;
const { data: profile } = await keyfold.GET('/api/me', as(alice));

print(await keyfold.POST('/api/me/sshkey/add', { ...as(alice), body: { title: 'laptop', key } }));
print(await keyfold.GET('/api/me/sshkey/list', { ...as(alice), params: { query: { page: 1 } } }));

const { data: enrolment } = await keyfold.POST('/api/auth/2fa/generate', as(alice));
const secret = enrolment?.data?.secret ?? '';
const proof = { secret, code: generateSync({ secret }) };
print(await keyfold.POST('/api/auth/2fa/verify', { ...as(alice), body: proof }));

await logIn('alice', 'correct horse');
// Each code works once, and the proof used the current one. The next one is already valid.
const next = Math.floor(Date.now() / 1000) + 30;
const again = (await logIn('alice', 'correct horse', generateSync({ secret, epoch: next })))!;
print(await keyfold.GET('/api/me', as(again)));

print(await keyfold.GET('/api/auth/logout', as(again)));
print(await keyfold.GET('/api/me', as(again)));
print(await keyfold.GET('/api/public/settings'));
const id = profile?.data?.id ?? 0;
print(await keyfold.POST('/api/admin/user/delete', { ...as(admin), params: { query: { id } } }));
