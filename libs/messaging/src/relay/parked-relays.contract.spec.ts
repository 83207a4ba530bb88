import { ModelParkedRelays } from '../../testing/model-parked-relays.js';
import { describeParkedRelays } from './parked-relays.contract.js';

describeParkedRelays('the model', async () => new ModelParkedRelays());
