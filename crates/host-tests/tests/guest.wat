;; A wasi:http guest for the tests of the host. The second byte of the path says what it does:
;;   /ok answers 200, /trap traps, /late answers and then traps, /spin never ends,
;;   /hoard grows its memory until it is refused and then traps, /mute returns without an answer,
;;   /count answers 200 and traps if an earlier request left its mark in memory.
(component
  (import "wasi:http/types@0.2.0" (instance $types
    (export "fields" (type $fields (sub resource)))
    (export "incoming-request" (type $incoming-request (sub resource)))
    (export "outgoing-response" (type $outgoing-response (sub resource)))
    (export "response-outparam" (type $response-outparam (sub resource)))
    (type $dns-record (record (field "rcode" (option string)) (field "info-code" (option u16))))
    (export "DNS-error-payload" (type $dns (eq $dns-record)))
    (type $tls-record (record (field "alert-id" (option u8)) (field "alert-message" (option string))))
    (export "TLS-alert-received-payload" (type $tls (eq $tls-record)))
    (type $size-record (record (field "field-name" (option string)) (field "field-size" (option u32))))
    (export "field-size-payload" (type $size (eq $size-record)))
    (type $error-variant (variant
      (case "DNS-timeout") (case "DNS-error" $dns) (case "destination-not-found")
      (case "destination-unavailable") (case "destination-IP-prohibited") (case "destination-IP-unroutable")
      (case "connection-refused") (case "connection-terminated") (case "connection-timeout")
      (case "connection-read-timeout") (case "connection-write-timeout") (case "connection-limit-reached")
      (case "TLS-protocol-error") (case "TLS-certificate-error") (case "TLS-alert-received" $tls)
      (case "HTTP-request-denied") (case "HTTP-request-length-required")
      (case "HTTP-request-body-size" (option u64)) (case "HTTP-request-method-invalid")
      (case "HTTP-request-URI-invalid") (case "HTTP-request-URI-too-long")
      (case "HTTP-request-header-section-size" (option u32)) (case "HTTP-request-header-size" (option $size))
      (case "HTTP-request-trailer-section-size" (option u32)) (case "HTTP-request-trailer-size" $size)
      (case "HTTP-response-incomplete") (case "HTTP-response-header-section-size" (option u32))
      (case "HTTP-response-header-size" $size) (case "HTTP-response-body-size" (option u64))
      (case "HTTP-response-trailer-section-size" (option u32)) (case "HTTP-response-trailer-size" $size)
      (case "HTTP-response-transfer-coding" (option string))
      (case "HTTP-response-content-coding" (option string)) (case "HTTP-response-timeout")
      (case "HTTP-upgrade-failed") (case "HTTP-protocol-error") (case "loop-detected")
      (case "configuration-error") (case "internal-error" (option string))))
    (export "error-code" (type $error-code (eq $error-variant)))
    (export "[constructor]fields" (func (result (own $fields))))
    (export "[method]incoming-request.path-with-query"
      (func (param "self" (borrow $incoming-request)) (result (option string))))
    (export "[constructor]outgoing-response"
      (func (param "headers" (own $fields)) (result (own $outgoing-response))))
    (export "[static]response-outparam.set"
      (func (param "param" (own $response-outparam))
            (param "response" (result (own $outgoing-response) (error $error-code)))))))
  (alias export $types "incoming-request" (type $request))
  (alias export $types "response-outparam" (type $out))

  (core module $storage
    (memory (export "memory") 1)
    ;; The path is the only thing that is ever allocated.
    (func (export "realloc") (param i32 i32 i32 i32) (result i32) (i32.const 1024)))
  (core instance $storage (instantiate $storage))
  (core func $path (canon lower (func $types "[method]incoming-request.path-with-query")
    (memory (core memory $storage "memory")) (realloc (core func $storage "realloc"))))
  (core func $fields (canon lower (func $types "[constructor]fields")))
  (core func $response (canon lower (func $types "[constructor]outgoing-response")))
  (core func $set (canon lower (func $types "[static]response-outparam.set")
    (memory (core memory $storage "memory")) (realloc (core func $storage "realloc"))))

  (core module $guest
    (import "host" "path" (func $path (param i32 i32)))
    (import "host" "fields" (func $fields (result i32)))
    (import "host" "response" (func $response (param i32) (result i32)))
    (import "host" "set" (func $set (param i32 i32 i32 i32 i64 i32 i32 i32 i32)))
    (import "storage" "memory" (memory 1))
    (func $answer (param $out i32)
      (call $set (local.get $out) (i32.const 0) (call $response (call $fields))
        (i32.const 0) (i64.const 0) (i32.const 0) (i32.const 0) (i32.const 0) (i32.const 0)))
    (func (export "handle") (param $request i32) (param $out i32)
      (local $letter i32)
      ;; option<string> at 16: present, pointer, length.
      (call $path (local.get $request) (i32.const 16))
      (local.set $letter (i32.load8_u offset=1 (i32.load offset=4 (i32.const 16))))
      (if (i32.eq (local.get $letter) (i32.const 116 (; t ;))) (then unreachable))
      (if (i32.eq (local.get $letter) (i32.const 109 (; m ;))) (then return))
      (if (i32.eq (local.get $letter) (i32.const 115 (; s ;))) (then (loop $forever (br $forever))))
      (if (i32.eq (local.get $letter) (i32.const 104 (; h ;)))
        (then
          (loop $more
            (br_if $more (i32.ne (memory.grow (i32.const 256)) (i32.const -1))))
          unreachable))
      (if (i32.eq (local.get $letter) (i32.const 99 (; c ;)))
        (then
          (if (i32.load (i32.const 2048)) (then unreachable))
          (i32.store (i32.const 2048) (i32.const 1))))
      (call $answer (local.get $out))
      (if (i32.eq (local.get $letter) (i32.const 108 (; l ;))) (then unreachable))))
  (core instance $guest (instantiate $guest
    (with "storage" (instance $storage))
    (with "host" (instance
      (export "path" (func $path)) (export "fields" (func $fields))
      (export "response" (func $response)) (export "set" (func $set))))))

  (func $handle (param "request" (own $request)) (param "response-out" (own $out))
    (canon lift (core func $guest "handle")))
  (instance $handler (export "handle" (func $handle)))
  (export "wasi:http/incoming-handler@0.2.0" (instance $handler)))
