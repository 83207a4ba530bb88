import { get } from '../../api/client.js';
import { ADMINISTRATOR, current, GUEST } from '../../api/session.js';
import { ActivityList } from '../../account/activity/activity-list.js';
import { t } from '../../texts/texts.js';
import { Page, Section } from '../../ui/page.js';
import { Problem } from '../../ui/problem.js';
import { roleName } from '../../ui/permissions.js';
import { BASE } from '../../ui/router.js';
import { useLoad } from '../../ui/use-load.js';
import { Access, NewPassword } from './access.js';
import { Edit, readAccount } from './edit.js';
import { Keys } from './keys.js';
import { Sessions } from './sessions.js';
import type { Account } from './changes.js';

/** One account, by its id in the address. */
export default function AnyAccount({ rest }: Readonly<{ rest: string }>) {
  return /^[1-9]\d{0,15}$/.test(rest) ? (
    <Found id={Number(rest)} />
  ) : (
    <Page title={t.problems.notFound}>
      <ToList />
    </Page>
  );
}

const ToList = () => <a href={`${BASE}/accounts`}>{t.account.toList}</a>;

function Found({ id }: Readonly<{ id: number }>) {
  const { data: account, error, reload } = useLoad((signal) => readAccount(id, signal), [id]);
  return (
    <Page title={account?.username ?? t.account.title} actions={<ToList />}>
      <Problem error={error} />
      {account ? (
        <Sections account={account} onChanged={reload} />
      ) : (
        error === undefined && <div class="loading" aria-busy="true" />
      )}
    </Page>
  );
}

function Sections({ account, onChanged }: Readonly<{ account: Account; onChanged: () => void }>) {
  const { id, role, disabled } = account;
  const isOwn = id === current.value!.id;
  return (
    <>
      <p class="intro">
        {t.account.facts(roleName(role), id)} {disabled && <span class="tag bad">{t.access.disabled}</span>}{' '}
        {isOwn && <span class="tag">{t.account.own}</span>}
      </p>
      {role === GUEST && <p class="notice">{t.account.guestHint}</p>}
      {role === ADMINISTRATOR && <p class="hint">{t.account.administratorHint}</p>}
      <Edit account={account} onChanged={onChanged} />
      <Section title={t.account.password}>
        {isOwn ? (
          <a href={`${BASE}/security`}>{t.account.ownPassword}</a>
        ) : (
          <NewPassword account={account} onChanged={onChanged} />
        )}
      </Section>
      {role !== GUEST && (
        <Section title={t.keys.title}>
          <Keys id={id} />
        </Section>
      )}
      <Section title={t.sessions.title}>
        <Sessions id={id} isOwn={isOwn} of={account} />
      </Section>
      <Section title={t.account.access}>
        <Access account={account} onChanged={onChanged} />
      </Section>
      <Section title={t.account.history}>
        <ActivityList read={(query, signal) => get('/api/admin/user/activity', { query: { ...query, id }, signal })} />
      </Section>
    </>
  );
}
