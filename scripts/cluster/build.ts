// Builds what `npm run test:cluster` needs and no package has: the API server of Kubernetes.
import { API_SERVER, buildApiServer } from './kube-apiserver.ts';

buildApiServer(console.log);
console.log(API_SERVER);
