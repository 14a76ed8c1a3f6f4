//! Public types can be moved to other threads, and shared between them where that makes sense.

use graphpack_core::{Limits, Plan};
use graphpack_formats::OgbCsv;
use graphpack_loader::memory::{BatchMemory, Layout};
use graphpack_loader::report::{Report, Stats};
use graphpack_loader::store::{StoreFilesWriter, StoreWriter};
use graphpack_loader::{Batch, Data, Epoch, Error, Loader, Options, Shard, State, Store, StoreFiles, Weights};
use graphpack_partition::assign::{Balance, Metis};
use graphpack_partition::chunked::{
    ChunkedFeature, ChunkedGraph, ChunkedWriter, EdgeList, EdgeSink, FeatureRanges, FeatureSink,
};
use graphpack_partition::dgl::{Partition, PartitionConfig, PartitionWriter};
use graphpack_partition::pieces::{ClusterEpoch, NeighbourEpoch};
use graphpack_partition::{Assignment, ClusterGroups, Clusters, Cut, LargeGraph, Neighbours};

fn send<T: Send + 'static>() {}
fn send_and_sync<T: Send + Sync + 'static>() {}

#[test]
fn public_types_are_send_and_sync() {
    send_and_sync::<Limits>();
    send_and_sync::<Plan>();
    send_and_sync::<Layout>();
    send_and_sync::<Store>();
    send_and_sync::<Data>();
    send_and_sync::<Error>();
    send_and_sync::<OgbCsv>();
    send_and_sync::<Loader>();
    send_and_sync::<Options>();
    send_and_sync::<Report>();
    send_and_sync::<StoreFiles>();
    send_and_sync::<StoreFilesWriter>();
    send_and_sync::<StoreWriter>();
    send_and_sync::<State>();
    send_and_sync::<Shard>();
    send_and_sync::<Weights>();
    send_and_sync::<Stats>();
    send_and_sync::<Partition>();
    send_and_sync::<PartitionConfig>();
    send_and_sync::<PartitionWriter>();
    send_and_sync::<LargeGraph>();
    send_and_sync::<Assignment>();
    send_and_sync::<Balance>();
    send_and_sync::<Metis>();
    send_and_sync::<Cut<'static>>();
    send_and_sync::<Clusters>();
    send_and_sync::<ClusterGroups>();
    send_and_sync::<ClusterEpoch>();
    send_and_sync::<Neighbours>();
    send_and_sync::<NeighbourEpoch>();
    send_and_sync::<ChunkedGraph>();
    send_and_sync::<ChunkedFeature>();
    send_and_sync::<ChunkedWriter>();
    send_and_sync::<Batch>();
    send_and_sync::<BatchMemory>();
    // One consumer at a time.
    send::<Epoch>();
    send::<EdgeList>();
    send::<FeatureRanges<'static>>();
    send::<EdgeSink<'static>>();
    send::<FeatureSink<'static>>();
}
