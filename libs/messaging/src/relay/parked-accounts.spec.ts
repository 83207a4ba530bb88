import { ModelParkedAccounts } from '../../testing/model-parked-accounts.js';
import { describeParkedAccounts } from '../../testing/parked-accounts.contract.js';

describeParkedAccounts('the model', async () => new ModelParkedAccounts());
