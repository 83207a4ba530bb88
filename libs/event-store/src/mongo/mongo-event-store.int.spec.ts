import { describeEventStore } from '../event-store.contract.js';
import { openMongo } from './open-mongo.contract.js';

describeEventStore('MongoDB', () => openMongo());
