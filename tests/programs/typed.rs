//! Two types of nodes, and targets of different lengths.

use graphpack_loader::{Dtype, Loader, Options, Schema, Store};

#[test]
fn two_types_of_nodes_and_ragged_targets_are_loaded() -> Result<(), Box<dyn std::error::Error>> {
    let schema = Schema::of(&["protein", "ligand", "contacts", "tokens"])
        .field("protein.x", "protein", Dtype::F32, &[20])
        .field("ligand.x", "ligand", Dtype::F32, &[9])
        .field("distance", "contacts", Dtype::F32, &[])
        .padded("distance", 1.0)
        .field("token", "tokens", Dtype::I64, &[])
        .padded("token", -100.0) // what PyTorch's cross entropy ignores
        .index("contact_index", "contacts", &["protein", "ligand"]);
    let mut data = Store::new(schema);
    for complex in 0..200 {
        let (residues, atoms, tokens) = (8 + complex % 11, 3 + complex % 5, 1 + complex % 4);
        let ends: [Vec<usize>; 2] = [(0..atoms).collect(), (0..atoms).rev().collect()];
        data.push(&[residues, atoms, atoms, tokens], |to| {
            to.set("protein.x", &vec![complex as f32; 20 * residues])?;
            to.set("ligand.x", &vec![0.5_f32; 9 * atoms])?;
            to.set("distance", &vec![2.0_f32; atoms])?;
            to.set("token", &vec![complex as i64; tokens])?;
            Ok(to.set_index("contact_index", &[&ends[0], &ends[1]])?)
        })?;
    }
    let loader = Loader::new(data, Options::graphs(16).extra(["protein_batch", "tokens_ptr"]))?;

    let mut complexes = 0;
    for batch in loader.epoch(0) {
        let batch = batch?;
        let (real, ids, ptr) = (batch.real().graphs(), batch.graph_ids(), batch.get::<i64>("tokens_ptr")?);
        for (graph, &id) in ids[..real].iter().enumerate() {
            let target = &batch.get::<i64>("token")?[ptr[graph] as usize..ptr[graph + 1] as usize];
            assert_eq!(target, vec![id; 1 + id as usize % 4]);
        }
        assert!(batch.get::<i64>("token")?[ptr[real] as usize..].iter().all(|&token| token == -100));
        // A contact is between a residue and an atom of one complex.
        let (of_residue, contacts) = (batch.get::<i64>("protein_batch")?, batch.index::<i64>("contact_index")?);
        let x = batch.get::<f32>("protein.x")?;
        for &residue in contacts[0].iter().take(batch.real_rows("contacts")?) {
            let complex = ids[of_residue[residue as usize] as usize];
            assert_eq!(x[20 * residue as usize], complex as f32);
        }
        complexes += real;
    }
    assert_eq!(complexes, 200);
    Ok(())
}
