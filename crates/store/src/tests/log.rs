//! The log: torn tails, damage, faults, generations.

use super::*;

/// A workspace with one commit of each sort.
fn busy() -> World {
    let mut world = World::new();
    let id = world.create();
    world.insert(id, &[(1, "a"), (2, "b"), (3, "ç")]);
    world.update(id, &[1, 3], "u");
    world.delete(id, &[2]);
    world.commit(|transaction| {
        transaction.create_catalog("c", None);
        transaction.create_schema("c", "s", Some("about".to_owned()));
        transaction.put("checkpoint/f", vec![0, 255, 7]);
    });
    world.commit(|transaction| transaction.restore(id, 1));
    world.commit(|transaction| transaction.rename_table(id, TableName::new("c", "s", "t")));
    world
}

fn frames(log: &[u8]) -> Vec<std::ops::Range<usize>> {
    decode_records(log).unwrap().into_iter().map(|(_, range)| range).collect()
}

#[test]
fn a_recovered_store_equals_the_one_that_wrote_the_log() {
    let world = busy();
    let mut storage = world.storage.clone();
    let (store, report) = Store::recover(&mut storage).unwrap();
    assert_eq!(picture(&store), picture(&world.store));
    assert_eq!(store.size_bytes(), world.store.size_bytes());
    assert_eq!((report.n_records, report.n_torn_bytes, report.n_bytes), (7, 0, world.storage.log().len()));
    // It goes on where the other would have: no number is used twice.
    let mut world = World { store, storage, ..busy() };
    let id = world.store.all_tables().next().unwrap().id;
    let version = world.insert(id, &[(7, "new")]);
    assert_eq!(version, 5);
    assert_eq!(picture(&world.recovered()), picture(&world.store));
}

#[test]
fn records_are_replayed_one_by_one() {
    let world = busy();
    let mut store = Store::new();
    let mut ranges = frames(world.storage.log()).into_iter();
    for range in ranges.by_ref() {
        store.replay(&world.storage.log()[range]).unwrap();
    }
    assert_eq!(picture(&store), picture(&world.store));
    let again = store.replay(&world.storage.log()[frames(world.storage.log())[0].clone()]);
    assert_eq!(condition(again), "LAKELET_LOG_DAMAGED");
}

#[test]
fn a_cut_at_every_byte_of_the_last_record_is_before_or_after() {
    let mut world = busy();
    let before = picture(&world.store);
    let n_before = world.storage.log().len();
    let id = world.store.all_tables().next().unwrap().id;
    world.insert(id, &[(9, "last")]);
    let log = world.storage.log().to_vec();
    for n_bytes in n_before..log.len() {
        let mut storage = MemoryStorage::new(log[..n_bytes].to_vec());
        let (store, report) = Store::recover(&mut storage).unwrap();
        assert_eq!((report.n_records, report.n_torn_bytes), (7, n_bytes - n_before));
        assert_eq!(storage.log().len(), n_before, "the torn tail is cut");
        if n_bytes % 97 == 0 {
            assert_eq!(picture(&store), before);
        }
    }
    assert_eq!(picture(&world.recovered()), picture(&world.store));
}

#[test]
fn a_changed_byte_in_the_middle_is_refused_and_at_the_end_is_a_torn_tail() {
    let world = busy();
    let log = world.storage.log();
    let ranges = frames(log);
    let last = ranges.len() - 1;
    for (index, range) in ranges.iter().enumerate() {
        for byte in range.clone().step_by(61).chain([range.end - 1]) {
            let mut damaged = log.to_vec();
            damaged[byte] ^= 0x10;
            let mut storage = MemoryStorage::new(damaged.clone());
            match Store::recover(&mut storage) {
                Ok((_, report)) => assert_eq!((index, report.n_records), (last, last), "byte {byte}"),
                Err(error) => {
                    assert_eq!(error.class.condition, "LAKELET_LOG_DAMAGED");
                    assert_ne!(index, last, "byte {byte}");
                    assert_eq!(storage.log(), damaged, "a damaged log is left alone");
                }
            }
        }
    }
}

#[test]
fn a_missing_record_is_refused() {
    let world = busy();
    let log = world.storage.log();
    let ranges = frames(log);
    let mut without = log[..ranges[2].start].to_vec();
    without.extend_from_slice(&log[ranges[3].start..]);
    let error = Store::recover(&mut MemoryStorage::new(without)).unwrap_err();
    assert_eq!(error.class.condition, "LAKELET_LOG_DAMAGED");
    assert!(error.message.contains("record 4"), "{}", error.message);
}

#[test]
fn zeros_and_garbage_after_the_last_record_are_a_torn_tail() {
    let world = busy();
    for tail in [vec![0; 5_000], b"LKLTLKLTLKLT and so on".to_vec()] {
        let mut log = world.storage.log().to_vec();
        log.extend_from_slice(&tail);
        let mut storage = MemoryStorage::new(log);
        let (store, report) = Store::recover(&mut storage).unwrap();
        assert_eq!(report.n_torn_bytes, tail.len());
        assert_eq!(picture(&store), picture(&world.store));
    }
}

#[test]
fn a_newer_format_is_named() {
    let mut record = encode_record(1, b"");
    record[4..6].copy_from_slice(&(FORMAT_VERSION + 1).to_le_bytes());
    let checksum = crc32fast::hash(&record[..28]);
    record[28..32].copy_from_slice(&checksum.to_le_bytes());
    let error = Store::recover(&mut MemoryStorage::new(record)).unwrap_err();
    assert_eq!(error.class.condition, "LAKELET_LOG_TOO_NEW");
    assert!(error.message.contains("newer version"));
}

#[test]
fn whole_records_that_say_nonsense_are_refused() {
    let mut head = b"{\"timestamp\":0,\"actions\":[{\"put\":{\"key\":\"k\",\"value\":3}}],\"blobs\":[]}".to_vec();
    for payload in [Vec::new(), vec![255; 4], vec![9, 0, 0, 0, 1], {
        let mut payload = (head.len() as u32).to_le_bytes().to_vec();
        payload.append(&mut head);
        payload
    }] {
        let error = Store::recover(&mut MemoryStorage::new(encode_record(1, &payload))).unwrap_err();
        assert_eq!(error.class.condition, "LAKELET_LOG_DAMAGED");
    }
}

#[test]
fn records_changed_under_right_checksums_never_make_recovery_panic() {
    let world = busy();
    let log = world.storage.log();
    for (sequence, range) in decode_records(log).unwrap() {
        let payload = &log[range.start + 32..range.end];
        for index in (0..payload.len()).step_by(3) {
            for mask in [0x01, 0x80] {
                let mut changed = payload.to_vec();
                changed[index] ^= mask;
                let mut bytes = log[..range.start].to_vec();
                bytes.extend(encode_record(sequence, &changed));
                bytes.extend(&log[range.end..]);
                if let Ok((store, _)) = Store::recover(&mut MemoryStorage::new(bytes)) {
                    picture(&store);
                }
            }
        }
    }
}

#[test]
fn every_fault_leaves_the_store_before_or_after() {
    for fault in [Fault::Fail, Fault::Torn(0), Fault::Torn(40), Fault::Torn(usize::MAX), Fault::Full(0)] {
        let mut world = busy();
        let id = world.store.all_tables().next().unwrap().id;
        let before = picture(&world.store);
        let fault = match fault {
            Fault::Full(_) => Fault::Full(world.storage.log().len() + 100),
            other => other,
        };
        let mut storage = FaultyStorage::new(world.storage.clone(), fault, 0);
        let mut transaction = world.store.begin();
        transaction.add_batch(id, batch(&[(8, "lost")]));
        let error = world.store.commit(transaction.clone(), world.now, &mut storage).unwrap_err();
        let expected = if matches!(fault, Fault::Full(_)) { "LAKELET_STORAGE_FULL" } else { "LAKELET_STORAGE_FAILED" };
        assert_eq!(error.class.condition, expected);
        assert_eq!(picture(&world.store), before);
        let mut after = World::new();
        after.store = world.store.clone();
        after.store.commit(transaction, world.now, &mut after.storage).unwrap();
        let recovered = Store::recover(&mut storage.into_inner()).unwrap().0;
        // A record that was written whole counts, though nobody heard of it.
        let expected = if fault == Fault::Torn(usize::MAX) { picture(&after.store) } else { before };
        assert_eq!(picture(&recovered), expected);
    }
}

#[test]
fn a_short_write_that_was_believed_is_found_at_the_next_start() {
    let mut world = busy();
    let id = world.store.all_tables().next().unwrap().id;
    let mut storage = FaultyStorage::new(world.storage.clone(), Fault::Short(50), 0);
    for key in 0..2 {
        let mut transaction = world.store.begin();
        transaction.add_batch(id, batch(&[(key, "x")]));
        world.store.commit(transaction, world.now, &mut storage).unwrap();
    }
    assert_eq!(condition(Store::recover(&mut storage.into_inner())), "LAKELET_LOG_DAMAGED");
}

#[test]
fn generations_adopt_what_came_before_and_ignore_what_came_later() {
    let world = busy();
    let log = world.storage.log();
    let ranges = frames(log);
    let part = |from: usize, to: usize| log[ranges[from].start..ranges[to - 1].end].to_vec();
    let mut first = encode_generation_header(0, &[]);
    first.extend(part(0, 3));
    let adopted = [Adopted { number: 0, n_bytes: first.len() as u64 }];
    // The old worker was still writing.
    first.extend(part(3, 4));
    let mut second = encode_generation_header(1, &adopted);
    second.extend(part(3, 7));
    second.extend(b"torn");
    let unborn = encode_generation_header(2, &[])[..20].to_vec();
    let generation = |number, bytes| Generation { number, bytes };
    let all = vec![generation(2, unborn), generation(1, second.clone()), generation(0, first.clone())];
    let AssembledLog { log: assembled, adopted: next } = assemble_generations(all).unwrap();
    assert_eq!(assembled, log);
    assert_eq!(next, [adopted[0], Adopted { number: 1, n_bytes: (second.len() - 4) as u64 }]);
    // A third generation adopts both.
    let mut third = encode_generation_header(3, &next);
    third.extend(encode_record(8, b"x"));
    let all = vec![generation(0, first), generation(1, second.clone()), generation(3, third)];
    assert_eq!(decode_records(&assemble_generations(all).unwrap().log).unwrap().len(), 8);
    assert_eq!(condition(assemble_generations(vec![generation(1, second)])), "LAKELET_LOG_DAMAGED");
    assert_eq!(assemble_generations(Vec::new()).unwrap().log, Vec::<u8>::new());
}
