import { get } from '../../api/client.js';
import { t } from '../../texts/texts.js';
import { Page } from '../../ui/page.js';
import { ActivityList, type ActivityQuery } from './activity-list.js';

/** What was done to the signed-in account. */
export default function OwnActivity() {
  return (
    <Page title={t.activity.title} intro={t.activity.intro}>
      <ActivityList read={readOwn} />
    </Page>
  );
}

const readOwn = (query: ActivityQuery, signal?: AbortSignal) => get('/api/me/activity', { query, signal });
