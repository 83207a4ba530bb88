import { describeFeedLeases, describeSharedFeedLeases } from '../../testing/feed-leases.contract.js';
import { ModelFeedLeases } from '../../testing/model-feed-leases.js';

const open = async () => new ModelFeedLeases();

describeFeedLeases('the model', open);
describeSharedFeedLeases('the model', open);
