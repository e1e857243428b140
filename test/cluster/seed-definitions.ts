/*
 * Objects of other controllers, as the texts about them print them. docs/differences.md names the
 * controllers.
 */

/** An ImagePolicy, in YAML. */
export const printedPolicy = `
apiVersion: operator.technomad.dev/v1alpha1
kind: ImagePolicy
metadata:
  name: base-java-updater
  namespace: default
spec:
  repository: "library/openjdk" # Using public docker hub for example
  tagPolicy:
    strategy: SemVer
  updateTarget:
    kind: Deployment
    name: my-java-app
    namespace: default
  pollIntervalMinutes: 5
`;

/** A ServiceImage with its status, in YAML. */
export const printedServiceImage = `
apiVersion: services.azurehealthcareapis.com/v1alpha1
kind: ServiceImage
metadata:
  name: dicom-serviceimage-prod
  labels:
    service: dicom
  generation: 2
spec:
  tiers:
  - upgradeTier: ""
    image: ouracr.azurecr.io/dicom-service:v2
    priority: 0
  - upgradeTier: earlyAccess
    image: ouracr.azurecr.io/dicom-service:v3
    priority: 1
status:
  observedGeneration: 2
  conditions:
  - type: Complete
    status: "False"
    lastUpdateTime: "2020-10-12T19:36:36Z"
  - type: InProgress
    status: "True"
    lastUpdateTime: "2020-10-12T19:36:36Z"
  tierStatus: 
  - upgradeTier: ""
    newDeploymentImage: ouracr.azurecr.io/dicom-service:v1
    conditions:
    - type: Complete
      status: "False"
      lastUpdateTime: "2020-10-12T19:36:36Z"
    - type: InProgress
      status: "False"
      lastUpdateTime: "2020-10-12T19:36:36Z"
  - upgradeTier: "earlyAccess"
    newDeploymentImage: ouracr.azurecr.io/dicom-service:v2
    conditions:
    - type: Complete
      status: "False"
      lastUpdateTime: "2020-10-12T19:36:36Z"
    - type: InProgress
      status: "True"
      lastUpdateTime: "2020-10-12T19:36:36Z"
  currentPriority: 1
`;

/** An ImageRegistry, in YAML, with the fields of the text's struct. */
export const printedRegistry = `
apiVersion: registry.lookout.dev/v1alpha1
kind: ImageRegistry
metadata:
  name: ecr-production
  namespace: default
spec:
  type: ecr
  ecr:
    region: eu-central-1
    accountId: "123456789012"
  auth:
    workloadIdentity:
      enabled: true
  checkInterval: 5m
`;

/** An ImageRegistry with every field of the controller's code, as kubectl prints it, in YAML. */
export const wholeRegistry = `
apiVersion: registry.lookout.dev/v1alpha1
kind: ImageRegistry
metadata:
  name: harbor
  namespace: default
spec:
  type: harbor
  ecr: { region: eu-central-1 }
  harbor: { url: https://harbor.example.com, project: shop, insecureSkipVerify: false }
  dockerHub: { organization: acme }
  gcr: { project: acme, location: eu }
  acr: { subscriptionId: s, resourceGroup: g, registryName: acme }
  generic: { url: "http://registry.example.com:5000", apiVersion: v2 }
  auth:
    workloadIdentity: { enabled: false }
    secretRef: { name: harbor-login, namespace: default, key: password }
    serviceAccountRef: { name: puller, namespace: default }
  rateLimiting: { requestsPerSecond: 10, burst: 20 }
  circuitBreaker: { enabled: true, failureThreshold: 5, successThreshold: 2, timeout: 5m }
  scan: { minInterval: 1m, defaultInterval: 5m, tagLimit: 100, sortBy: pushedAt }
  tls: { insecureSkipVerify: false, caSecretRef: { name: harbor-ca, key: ca.crt } }
status:
  observedGeneration: 1
  lastConnectedAt: "2026-02-01T12:00:00Z"
  circuitBreaker: { state: closed, failures: 0 }
  auth: { valid: true, lastValidated: "2026-02-01T12:00:00Z" }
  conditions:
    - type: Ready
      status: "True"
      reason: ConnectionSuccessful
      message: connected
      lastTransitionTime: "2026-02-01T12:00:00Z"
      observedGeneration: 1
`;

/** The definition of ImagePolicy, as its text prints it, in YAML. It has no status subresource. */
export const printedDefinition = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: imagepolicies.operator.technomad.dev
spec:
  group: operator.technomad.dev
  versions:
    - name: v1alpha1
      served: true
      storage: true
      schema:
        openAPIV3Schema:
          type: object
          properties:
            spec:
              type: object
              properties:
                repository:
                  type: string
                  description: "OCI image repository to watch, e.g., 'harbor.mycorp.com/library/base-java'"
                tagPolicy:
                  type: object
                  properties:
                    strategy:
                      type: string
                      enum: ["SemVer", "Latest", "Regex"]
                    pattern:
                      type: string
                      description: "Regex pattern if strategy is Regex"
                  required: ["strategy"]
                updateTarget:
                  type: object
                  properties:
                    kind:
                      type: string
                      enum: ["Deployment"]
                    name:
                      type: string
                    namespace:
                      type: string
                  required: ["kind", "name", "namespace"]
                pollIntervalMinutes:
                  type: integer
                  default: 60
              required: ["repository", "tagPolicy", "updateTarget"]
            status:
              type: object
              properties:
                lastCheckedTime:
                  type: string
                  format: date-time
                lastAppliedTag:
                  type: string
                observedGeneration:
                  type: integer
                conditions:
                  type: array
                  items:
                    type: object
                    properties:
                      type:
                        type: string
                      status:
                        type: string
                      lastTransitionTime:
                        type: string
                        format: date-time
                      reason:
                        type: string
                      message:
                        type: string
  scope: Namespaced
  names:
    plural: imagepolicies
    singular: imagepolicy
    kind: ImagePolicy
    shortNames:
    - ipol
`;
