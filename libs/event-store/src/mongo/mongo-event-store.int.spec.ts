import { describeEventStore } from '../../testing/event-store.contract.js';
import { openMongo } from '../../testing/open-mongo.js';

describeEventStore('MongoDB', () => openMongo());
